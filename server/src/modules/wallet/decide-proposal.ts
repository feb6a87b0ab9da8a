import type { StaffActor } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Executor, inTransaction, type Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getSetting } from '../../platform/settings.ts';
import { giveUpDebts } from '../payments/pay-debts.ts';
import { type CreditAllowed, lockWaiting, requireSettled, settleInside } from '../payments/review-payment.ts';
import { decideAlone, type Undecided } from '../staff/second-member.ts';
import { holdPermission } from '../staff/standing.ts';
import { adjustWallet, bookDebt, type CorrectionDeps } from './correct-books.ts';
import {
  lockProposal,
  type ProposalRow,
  selectProposal,
  selectProposals,
  selectUndecided,
  updateDecided,
} from './proposal-tables.ts';
import { lockCustomer } from './propose-correction.ts';
import { creditAlone, smallCorrection } from './settings.ts';

export type Proposal = ProposalRow;

/** Those that wait for a decision, and the newest of the others. */
export const listProposals = selectProposals;
export const findProposal = selectProposal;

/** The oldest that wait for a decision. */
export async function listUndecidedProposals(db: Executor, now: Date, limit: number): Promise<Undecided[]> {
  const rows = await selectUndecided(db, now, limit);
  return rows.map((row) => ({ ...row, permission: 'corrections.decide' }));
}

export interface Decision {
  readonly actor: StaffActor;
  readonly id: string;
}

/**
 * A second member does what another proposed, as it was proposed. One who is alone may do it after
 * `approvals.aloneHours`. Refuses `forbidden`, `not_found`, `proposal_over` (decided, or too old), `proposal_own`,
 * `proposal_waits`, `staff_own_account`, and what has changed since: `adjust_beyond_balance`, `proposal_stale`, `payment_not_waiting`,
 * `payment_reference_taken`.
 */
export async function approveProposal(deps: CorrectionDeps, { actor, id }: Decision): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const known = await selectProposal(tx, id);
    // Of a bulk, `bulk/decide-order.ts` decides.
    if (!known || known.user_id === null) throw new Refusal('not_found');
    const user = await lockCustomer(tx, actor, known.user_id);
    if (known.payment_id !== null && !(await lockWaiting(tx, known.payment_id)))
      throw new Refusal('payment_not_waiting');
    const { proposal, alone } = await approveInside(tx, deps, { actor, id });
    const allowed = {
      limitToman: BigInt(await getSetting(tx, proposal.kind === 'credit' ? creditAlone : smallCorrection)),
      proposal: { id, proposedBy: proposal.proposed_by, alone },
    };
    const given = { actor, reason: proposal.reason, allowed };
    const amountToman = proposal.amount_toman;
    if (proposal.kind === 'credit') return await creditProposed(tx, deps, proposal, { actor, allowed });
    if (proposal.kind === 'adjustment') return await adjustWallet(tx, deps, user, { ...given, amountToman });
    if ((await giveUpDebts(tx, user.id)) !== amountToman) throw new Refusal('proposal_stale');
    await bookDebt(tx, deps, { ...given, userId: user.id }, amountToman);
  });
}

/** The decision itself, in the caller's transaction, which does what was proposed. Refuses as `approveProposal` does. */
export async function approveInside(
  tx: Tx,
  deps: Pick<CorrectionDeps, 'clock'>,
  { actor, id }: Decision,
): Promise<{ readonly proposal: Proposal; readonly alone: boolean }> {
  await holdPermission(tx, actor, 'corrections.decide');
  const proposal = await lockOpen(tx, deps, id);
  const alone = await decideAlone(tx, deps, actor, proposal, 'corrections.decide');
  await updateDecided(tx, id, { state: 'done', by: actor.userId, alone }, deps.clock.now());
  return { proposal, alone };
}

/** The payment is known to wait, and locked. */
async function creditProposed(
  tx: Tx,
  deps: CorrectionDeps,
  { payment_id: paymentId, reference: refId, same_reference: isSameReference, reason: note }: Proposal,
  by: { readonly actor: StaffActor; readonly allowed: CreditAllowed },
): Promise<void> {
  if (paymentId === null || refId === null) throw new Error('A credit names its payment and reference.');
  const verdict = { paymentId, outcome: 'credited', note, refId, isSameReference, ...by } as const;
  requireSettled(await settleInside(tx, deps, verdict));
}

/** A second member declines; refuses `proposal_own`, because one's own is withdrawn. */
export async function declineProposal(
  deps: CorrectionDeps,
  { actor, id, reason }: Decision & { readonly reason: string },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const proposal = await declineInside(tx, deps, { actor, id });
    await recordClosed(tx, deps, proposal, { actor, reason, action: 'accounts.decline-correction' });
  });
}

/** The same in the caller's transaction, who records it. */
export async function declineInside(
  tx: Tx,
  deps: Pick<CorrectionDeps, 'clock'>,
  { actor, id }: Decision,
): Promise<Proposal> {
  await holdPermission(tx, actor, 'corrections.decide');
  const proposal = await lockOpen(tx, deps, id);
  if (proposal.proposed_by === actor.userId) throw new Refusal('proposal_own');
  await updateDecided(tx, id, { state: 'declined', by: actor.userId, alone: false }, deps.clock.now());
  return proposal;
}

/** Who proposed it takes it back. Refuses `not_found` to others. */
export async function withdrawProposal(
  deps: CorrectionDeps,
  { actor, id, reason }: Decision & { readonly reason: string },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const proposal = await withdrawInside(tx, deps, { actor, id });
    await recordClosed(tx, deps, proposal, { actor, reason, action: 'accounts.withdraw-correction' });
  });
}

/** The same in the caller's transaction, who records it. */
export async function withdrawInside(
  tx: Tx,
  deps: Pick<CorrectionDeps, 'clock'>,
  { actor, id }: Decision,
): Promise<Proposal> {
  await holdPermission(tx, actor, 'wallet.adjust');
  const proposal = await lockOpen(tx, deps, id);
  if (proposal.proposed_by !== actor.userId) throw new Refusal('not_found');
  await updateDecided(tx, id, { state: 'withdrawn', by: actor.userId, alone: false }, deps.clock.now());
  return proposal;
}

async function lockOpen(tx: Tx, { clock }: { readonly clock: Clock }, id: string): Promise<Proposal> {
  const proposal = await lockProposal(tx, id);
  if (!proposal) throw new Refusal('not_found');
  if (proposal.state !== 'open' || proposal.expires_at <= clock.now()) throw new Refusal('proposal_over');
  return proposal;
}

async function recordClosed(
  tx: Tx,
  deps: Pick<CorrectionDeps, 'audit'>,
  { id, user_id, kind, amount_toman }: Proposal,
  { actor, reason, action }: { readonly actor: StaffActor; readonly reason: string; readonly action: string },
): Promise<void> {
  if (user_id === null) throw new Refusal('not_found');
  const details = { proposal: id, kind, amountToman: Number(amount_toman) };
  await deps.audit.record(tx, actor, { action, target: { kind: 'user', id: user_id }, reason, details });
}

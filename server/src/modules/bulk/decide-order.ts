import { staffLimits } from '@raha/contract/admin/limits.ts';
import { addSeconds } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { CorrectionDeps } from '../wallet/correct-books.ts';
import {
  approveInside,
  approveProposal,
  type Decision,
  declineInside,
  declineProposal,
  type Proposal,
  withdrawInside,
  withdrawProposal,
} from '../wallet/decide-proposal.ts';
import { type BulkRow, hashItems, lockBulk, selectProposed, updateApproved, updateState } from './tables.ts';

/**
 * Decisions about what waits for a second member: corrections of one user are the wallet's, orders for many are decided here, by the
 * same rules and refusals. What is approved is what was ordered: the list of users is compared with what was proposed.
 */
export async function approveWaiting(deps: CorrectionDeps, decision: Decision): Promise<void> {
  const orderId = await findOrder(deps, decision.id);
  if (orderId === undefined) return await approveProposal(deps, decision);
  await inTransaction(deps.db, async (tx) => {
    const order = await lockProposed(tx, orderId);
    const { proposal, alone } = await approveInside(tx, deps, decision);
    if ((await hashItems(tx, order.id)) !== proposal.people_hash) throw new Refusal('proposal_stale');
    const startsAt = addSeconds(deps.clock.now(), staffLimits.bulk.planSeconds);
    await updateApproved(tx, order.id, startsAt);
    const details = { ...detailsOf(order, proposal), proposedBy: proposal.proposed_by, alone };
    const { reason } = order;
    await deps.audit.record(tx, decision.actor, {
      action: 'credits.approve',
      target: targetOf(order),
      reason,
      details,
    });
  });
}

type Closing = Decision & { readonly reason: string };

/** A second member declines; refuses `proposal_own`, because one's own is withdrawn. */
export async function declineWaiting(deps: CorrectionDeps, decision: Closing): Promise<void> {
  const orderId = await findOrder(deps, decision.id);
  if (orderId === undefined) return await declineProposal(deps, decision);
  await close(deps, orderId, decision, { decide: declineInside, action: 'credits.decline' });
}

/** Who ordered it takes it back. Refuses `not_found` to others. */
export async function withdrawWaiting(deps: CorrectionDeps, decision: Closing): Promise<void> {
  const orderId = await findOrder(deps, decision.id);
  if (orderId === undefined) return await withdrawProposal(deps, decision);
  await close(deps, orderId, decision, { decide: withdrawInside, action: 'credits.withdraw' });
}

async function close(
  deps: CorrectionDeps,
  orderId: string,
  decision: Closing,
  { decide, action }: { readonly decide: typeof declineInside; readonly action: string },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const order = await lockProposed(tx, orderId);
    const proposal = await decide(tx, deps, decision);
    await updateState(tx, order.id, 'cancelled', { endedAt: deps.clock.now() });
    const { actor, reason } = decision;
    await deps.audit.record(tx, actor, {
      action,
      target: targetOf(order),
      reason,
      details: detailsOf(order, proposal),
    });
  });
}

async function findOrder({ db }: Pick<CorrectionDeps, 'db'>, proposalId: string): Promise<string | undefined> {
  return (await selectProposed(db, [proposalId]))[0]?.id;
}

/** The bulk first, then member and proposal, as the worker does. */
async function lockProposed(tx: Tx, id: string): Promise<BulkRow> {
  const order = await lockBulk(tx, id);
  if (order?.state !== 'proposed') throw new Refusal('proposal_over');
  return order;
}

function targetOf({ id }: BulkRow) {
  return { kind: 'bulk', id } as const;
}

function detailsOf({ people, each_toman }: BulkRow, { id, amount_toman }: Proposal) {
  return { people, tomanEach: Number(each_toman), tomanSum: Number(amount_toman), proposal: id };
}

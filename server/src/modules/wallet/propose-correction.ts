import type { StaffActor } from '../../platform/audit.ts';
import { addDays } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/database.ts';
import { claimKey, type IdempotentRequest, runIdempotently, storeAnswer } from '../../platform/idempotency.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getSetting } from '../../platform/settings.ts';
import { findUser, lockUser, type User } from '../accounts/users.ts';
import { readOwnOwed } from '../payments/pay-debts.ts';
import { findEnd } from '../staff/second-member.ts';
import { holdPermission } from '../staff/standing.ts';
import { adjustWallet, type CorrectionDeps } from './correct-books.ts';
import { sumSmall } from './correction-tables.ts';
import { insertProposal, type ProposalRow } from './proposal-tables.ts';
import { smallCorrection } from './settings.ts';

export interface CorrectionRequest {
  readonly actor: StaffActor;
  readonly userId: string;
  readonly reason: string;
  readonly idempotent?: IdempotentRequest | undefined;
}

/** Done at once, or proposed to a second member. */
export type Requested = { readonly outcome: 'done' } | { readonly outcome: 'proposed'; readonly id: string };

/** In which members' small corrections of one wallet are added up. */
const SMALL_DAYS = 30;

/**
 * A member corrects a wallet by a signed difference. Up to `approvals.smallToman` in 30 days for a user it is done at once;
 * beyond, it is proposed. Refuses `forbidden`, `not_found`, `staff_own_account` and `adjust_beyond_balance`.
 */
export async function requestAdjustment(
  deps: CorrectionDeps,
  request: CorrectionRequest & { readonly amountToman: bigint },
): Promise<Requested> {
  return await once(deps, request, async (tx, user) => {
    const { actor, reason, amountToman } = request;
    const limitToman = BigInt(await getSetting(tx, smallCorrection));
    const recent = await sumSmall(tx, user.id, addDays(deps.clock.now(), -SMALL_DAYS));
    const size = amountToman < 0n ? -amountToman : amountToman;
    if (recent + size > limitToman) {
      const { balanceToman } = await deps.lockBalance(tx, user.id);
      if (balanceToman + amountToman < 0n)
        throw new Refusal('adjust_beyond_balance', { details: { balance: Number(balanceToman) } });
      return await propose(tx, deps, request, { kind: 'adjustment', amount_toman: amountToman });
    }
    await adjustWallet(tx, deps, user, { actor, reason, amountToman, allowed: { limitToman } });
    return { outcome: 'done' };
  });
}

/** A member proposes to give up what a user owes; a second one decides, whatever the sum. Refuses also `nothing_owed`. */
export async function proposeForgiving(deps: CorrectionDeps, request: CorrectionRequest): Promise<Requested> {
  return await once(deps, request, async (tx, user) => {
    const owed = await readOwnOwed(tx, user.id);
    if (owed === 0n) throw new Refusal('nothing_owed');
    return await propose(tx, deps, request, { kind: 'debt', amount_toman: owed });
  });
}

/** Once for an idempotency key, with the user locked and the member held. */
async function once(
  deps: CorrectionDeps,
  { actor, userId, idempotent }: CorrectionRequest,
  act: (tx: Tx, user: User) => Promise<Requested>,
): Promise<Requested> {
  return await runIdempotently(deps.db, idempotent, () =>
    inTransaction(deps.db, async (tx) => {
      const earlier = await claimKey<Requested>(tx, idempotent, deps.clock.now());
      if (earlier) return earlier;
      const user = await lockCustomer(tx, actor, userId);
      await holdPermission(tx, actor, 'wallet.adjust');
      const requested = await act(tx, user);
      await storeAnswer(tx, idempotent, requested);
      return requested;
    }),
  );
}

/** Locks the user whose money it is. Refuses `not_found`, and `staff_own_account` to a member whose own it is. */
export async function lockCustomer(tx: Tx, actor: StaffActor, userId: string): Promise<User> {
  if (actor.userId === userId) throw new Refusal('staff_own_account');
  if (!(await findUser(tx, userId))) throw new Refusal('not_found');
  const user = await lockUser(tx, userId);
  if (user.status === 'deleted') throw new Refusal('not_found');
  return user;
}

async function propose(
  tx: Tx,
  deps: CorrectionDeps,
  { actor, userId, reason }: CorrectionRequest,
  sum: Pick<ProposalRow, 'kind' | 'amount_toman'>,
): Promise<Requested> {
  const about = { user_id: userId, reason, proposed_by: actor.userId };
  const { id } = await keepProposal(tx, deps, { ...about, ...noPayment, ...noBulk, ...sum });
  await deps.audit.record(tx, actor, {
    action: 'accounts.propose-correction',
    target: { kind: 'user', id: userId },
    reason,
    details: { proposal: id, kind: sum.kind, amountToman: Number(sum.amount_toman) },
  });
  return { outcome: 'proposed', id };
}

export const noPayment = { payment_id: null, reference: null, same_reference: false } as const;
export const noBulk = { each_toman: null, people: null, people_hash: null } as const;

/** Opens a proposal for the hours of the setting. The caller records it. */
export async function keepProposal(
  tx: Tx,
  { clock }: Pick<CorrectionDeps, 'clock'>,
  row: Omit<Parameters<typeof insertProposal>[1], 'id' | 'proposed_at' | 'expires_at'>,
): Promise<{ readonly id: string; readonly expiresAt: Date }> {
  const now = clock.now();
  const id = newId(now);
  const expiresAt = await findEnd(tx, now);
  await insertProposal(tx, { ...row, id, proposed_at: now, expires_at: expiresAt });
  return { id, expiresAt };
}

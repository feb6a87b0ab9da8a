import type { Audit, StaffActor } from '../../platform/audit.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { claimKey, type IdempotentRequest, runIdempotently, storeAnswer } from '../../platform/idempotency.ts';
import { Refusal } from '../../platform/refusal.ts';
import { reopenInside } from '../accounts/reopen-account.ts';
import { findUser, lockUser } from '../accounts/users.ts';
import { listEntries } from '../audit/audit.ts';
import { holdPermission } from '../staff/standing.ts';
import { suspendInside } from './suspend-account.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly audit: Audit;
}

export interface AccountOrder {
  readonly actor: StaffActor;
  readonly userId: string;
  readonly act: 'suspend' | 'reopen';
  readonly reason: string;
  /** The entry of the audit that this takes back. */
  readonly undoes?: number | undefined;
  readonly idempotent?: IdempotentRequest | undefined;
}

const states = { suspend: ['active', 'incomplete'], reopen: ['suspended'] } as const;
const actions = { suspend: 'accounts.suspend', reopen: 'accounts.reopen' } as const;
const inverses = { suspend: 'reopen', reopen: 'suspend' } as const;

/**
 * A member suspends a user's account, or opens a suspended one again; each takes the other back. What an owner closed stays closed, as in a
 * bulk. Returns the number of the act's entry, by which it can be undone. Refuses `forbidden`, `not_found`, `account_staff` (works
 * here), `account_state` (another state than the act begins with), and `account_changed` if the act that is undone was not the last one.
 */
export async function steerAccount(deps: Deps, order: AccountOrder): Promise<{ readonly entry: number }> {
  const { actor, userId, act, reason, undoes, idempotent } = order;
  return await runIdempotently(deps.db, idempotent, () =>
    inTransaction(deps.db, async (tx) => {
      const earlier = await claimKey<{ entry: number }>(tx, idempotent, deps.clock.now());
      if (earlier) return earlier;
      await refuseUnfit(tx, order);
      const details = undoes === undefined ? {} : { undoes };
      const given = { actor, userId, reason, details };
      await (act === 'suspend' ? suspendInside : reopenInside)(tx, deps, given);
      const answer = { entry: await lastEntry(tx, userId, act) };
      await storeAnswer(tx, idempotent, answer);
      return answer;
    }),
  );
}

/** Locks the user. */
async function refuseUnfit(tx: Tx, { actor, userId, act, undoes }: AccountOrder): Promise<void> {
  if (!(await findUser(tx, userId))) throw new Refusal('not_found');
  const user = await lockUser(tx, userId);
  await holdPermission(tx, actor, 'people.suspend');
  if (user.status === 'deleted') throw new Refusal('not_found');
  if (user.role !== 'user') throw new Refusal('account_staff');
  if (undoes !== undefined && (await lastEntry(tx, userId, inverses[act])) !== undoes)
    throw new Refusal('account_changed');
  if (!states[act].some((state) => state === user.status)) throw new Refusal('account_state');
}

async function lastEntry(tx: Tx, userId: string, act: AccountOrder['act']): Promise<number> {
  const [last] = await listEntries(tx, { action: actions[act], target: { kind: 'user', id: userId } }, 1);
  return Number(last?.number ?? 0n);
}

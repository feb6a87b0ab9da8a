import { type BulkWhy, bulkPermissions } from '@raha/contract/admin/bulk.ts';
import { inTransaction, isDatabaseUnavailable, type Tx } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { Refusal } from '../../platform/refusal.ts';
import { reopenInside } from '../accounts/reopen-account.ts';
import { findUser, lockUser, type User } from '../accounts/users.ts';
import { listEntries } from '../audit/audit.ts';
import { suspendInside } from '../profile/suspend-account.ts';
import { signOutInside } from '../sessions/sign-out-user.ts';
import { holdPermission } from '../staff/standing.ts';
import type { CorrectionDeps } from '../wallet/correct-books.ts';
import { type Approval, creditUser, holdApproval } from './credit-user.ts';
import type { PlainAct } from './order-bulk.ts';
import { type BulkRow, countTry, lockBulk, selectNext, selectRunnable, settleItem, updateState } from './tables.ts';

export interface RunDeps extends CorrectionDeps {
  readonly log: Log;
}

/** Users of one turn of a bulk, so that others come to their turn, and a worker that is stopped soon is. */
const TURN = 100;
/** After so many errors a user is given up. */
const TRIES = 3;

/** Goes on with what is due. A user at a time, each in a transaction with the act, its entry of the audit, and the note that it is done. */
export async function runBulks(deps: RunDeps): Promise<void> {
  for (const id of await selectRunnable(deps.db, deps.clock.now())) {
    for (let step = 0; step < TURN && (await takeStep(deps, id)); step += 1);
  }
}

/** The next user of a bulk. False: there is nothing more to do now. */
async function takeStep(deps: RunDeps, id: string): Promise<boolean> {
  let userId: string | undefined;
  try {
    return await inTransaction(deps.db, async (tx) => {
      const now = deps.clock.now();
      const bulk = await lockBulk(tx, id);
      // Nobody has approved it in time.
      if (bulk?.state === 'proposed') await updateState(tx, id, 'cancelled', { endedAt: now });
      if (!bulk || (bulk.state !== 'planned' && bulk.state !== 'running')) return false;
      // It was approved just now.
      if (bulk.starts_at === null || bulk.starts_at > now) return false;
      userId = await selectNext(tx, id);
      if (userId === undefined) {
        await updateState(tx, id, 'done', { endedAt: now });
        return false;
      }
      if (bulk.state === 'planned') await updateState(tx, id, 'running');
      // Before the act, whose entry of the audit comes last: all entries of all operators are written one after another.
      const user = (await findUser(tx, userId)) && (await lockUser(tx, userId));
      const by = await holdDoer(tx, bulk);
      const why = user ? await findObstacle(tx, bulk, user) : 'gone';
      await settleItem(tx, id, userId, why, now);
      if (user && why === undefined) await act(tx, deps, bulk, user, by);
      return true;
    });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'forbidden') return await stopForLostPermission(deps, id);
    if (userId === undefined || isDatabaseUnavailable(error)) throw error;
    deps.log.error({ err: error, bulk: id, user: userId }, 'a user of a bulk failed and will be tried again');
    await noteError(deps, id, userId);
    return false;
  }
}

/** In whose name it is done. Refuses `forbidden` when they may not do it any more. */
async function holdDoer(tx: Tx, bulk: BulkRow): Promise<Approval> {
  if (bulk.act === 'credit') return await holdApproval(tx, bulk);
  const { actor_kind: kind, actor: who } = bulk;
  if (kind === 'command-line') return { actor: { kind, systemUser: who } };
  const actor = { kind, userId: who };
  await holdPermission(tx, actor, bulkPermissions[bulk.act]);
  return { actor };
}

async function findObstacle(tx: Tx, bulk: BulkRow, user: User): Promise<BulkWhy | undefined> {
  if (user.status === 'deleted') return 'gone';
  if (user.role !== 'user') return 'staff';
  if (bulk.act === 'suspend' && !['active', 'incomplete'].includes(user.status)) return 'not_active';
  if (bulk.act === 'reopen' && user.status !== 'suspended') return 'not_suspended';
  return (await isStillOurs(tx, bulk, user)) ? undefined : 'changed';
}

/** Of an undo: whether the bulk that is undone was the last one to bring the account into its state. */
async function isStillOurs(tx: Tx, { act, undoes }: BulkRow, { id }: User): Promise<boolean> {
  if (undoes === null) return true;
  const action = act === 'reopen' ? 'accounts.suspend' : 'accounts.reopen';
  const [last] = await listEntries(tx, { action, target: { kind: 'user', id } }, 1);
  return (last?.details as { readonly bulk?: string } | undefined)?.bulk === undoes;
}

async function act(tx: Tx, deps: RunDeps, bulk: BulkRow, user: User, by: Approval): Promise<void> {
  if (bulk.act === 'credit') return await creditUser(tx, deps, bulk, user, by);
  const order = { actor: by.actor, userId: user.id, reason: bulk.reason, details: { bulk: bulk.id } };
  await acts[bulk.act](tx, deps, order);
}

type Act = typeof suspendInside;
const acts: Readonly<Record<PlainAct, Act>> = {
  suspend: suspendInside,
  reopen: reopenInside,
  end_sessions: signOutInside,
};

/** Who ordered or approved it has left, or has another role: nothing more is done in their name. */
async function stopForLostPermission(deps: RunDeps, id: string): Promise<false> {
  await inTransaction(deps.db, async (tx) => {
    const bulk = await lockBulk(tx, id);
    if (bulk?.state === 'planned' || bulk?.state === 'running')
      await updateState(tx, id, 'stopped', { endedAt: deps.clock.now(), lostPermission: true });
  });
  return false;
}

async function noteError(deps: RunDeps, id: string, userId: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockBulk(tx, id);
    if ((await countTry(tx, id, userId)) >= TRIES) await settleItem(tx, id, userId, 'error', deps.clock.now());
  });
}

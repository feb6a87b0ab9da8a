import { ECDH } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction, type Tx } from '../../platform/database.ts';
import type { PushSubscription } from '../../platform/push.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { lockRemaining } from '../accounts/users.ts';
import {
  deleteBeyond,
  deleteSubscriptions,
  selectSubscribed,
  selectSubscription,
  upsertSubscription,
} from './push-tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
}

interface Subscriber {
  readonly userId: string;
  readonly sessionId: string;
}

/** Browsers of one user that take notifications; the one that was there longest makes room. */
const MAX_BROWSERS = 10;

/** Keeps, sealed, where the browser of a session takes notifications. Refuses a key that is no point of P-256. */
export async function keepSubscription(
  deps: Deps,
  { userId, sessionId }: Subscriber,
  subscription: PushSubscription,
): Promise<void> {
  refuseNoPoint(subscription.p256dh);
  const mark = deps.vault.hmac('push endpoint', subscription.endpoint);
  const sealed = deps.vault.seal(JSON.stringify(subscription), subscriptionContext(sessionId));
  await inTransaction(deps.db, async (tx) => {
    await lockRemaining(tx, userId);
    await upsertSubscription(tx, { sessionId, mark, sealed }, deps.clock.now());
    await deleteBeyond(tx, userId, sessionId, MAX_BROWSERS);
  });
}

export async function openSubscription(deps: Deps, sessionId: string): Promise<PushSubscription | undefined> {
  const sealed = await selectSubscription(deps.db, sessionId, deps.clock.now());
  return sealed ? (JSON.parse(deps.vault.open(sealed, subscriptionContext(sessionId))) as PushSubscription) : undefined;
}

export async function dropSubscription(db: Executor, sessionId: string): Promise<void> {
  await deleteSubscriptions(db, [sessionId]);
}

/** By user, the open sessions whose browsers take notifications. */
export async function subscribedSessions(
  tx: Tx,
  userIds: readonly string[],
  now: Date,
): Promise<Map<string, readonly string[]>> {
  const byUser = Map.groupBy(await selectSubscribed(tx, userIds, now), ({ user_id }) => user_id);
  return new Map([...byUser].map(([userId, rows]) => [userId, rows.map(({ session_id }) => session_id)]));
}

function refuseNoPoint(p256dh: string): void {
  try {
    ECDH.convertKey(Buffer.from(p256dh, 'base64url'), 'prime256v1');
  } catch {
    throw new Refusal('invalid_input');
  }
}

export const subscriptionContext = (sessionId: string) => `push:${sessionId}`;

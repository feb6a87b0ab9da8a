import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database.ts';
import { deletePendingOf } from './pending-tables.ts';
import { deleteSubscriptions } from './push-tables.ts';
import { sessionEnded } from './signals.ts';
import { endSessionOf, endSessionsOf } from './tables.ts';

interface Deps {
  readonly clock: Clock;
  readonly bus: Bus;
}

/** Ends a user's sessions, all or all but one, and sign-ins that wait for their second step; their open panels sign out when the transaction commits. */
export async function endSessions(
  tx: Tx,
  deps: Deps,
  userId: string,
  except: string | null,
  reason: string,
): Promise<void> {
  await deletePendingOf(tx, userId);
  await closeEnded(tx, deps, userId, await endSessionsOf(tx, userId, except, reason, deps.clock.now()));
}

/** Ends one session of a user, and its open panels sign out. False if it is not theirs or had ended before. */
export async function endSession(
  tx: Tx,
  deps: Deps,
  userId: string,
  sessionId: string,
  reason: string,
): Promise<boolean> {
  if (!(await endSessionOf(tx, userId, sessionId, reason, deps.clock.now()))) return false;
  await closeEnded(tx, deps, userId, [sessionId]);
  return true;
}

/**
 * Deletes the push subscriptions of sessions that the transaction has ended, and announces their end. The deletion is a
 * statement of its own: that which ended a session may have waited for a subscription being added, and does not see it.
 */
async function closeEnded(tx: Tx, deps: Deps, userId: string, sessionIds: readonly string[]): Promise<void> {
  if (sessionIds.length === 0) return;
  await deleteSubscriptions(tx, sessionIds);
  for (const sessionId of sessionIds) await deps.bus.announce(tx, sessionEnded, { userId, sessionId });
}

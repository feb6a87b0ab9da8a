import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { deletePendingOf } from './pending-tables.ts';
import { sessionEnded } from './signals.ts';
import { endSessionOf, endSessionsOf } from './tables.ts';

interface Deps {
  readonly clock: Clock;
  readonly bus: Bus;
}

/** Ends a user's sessions, all or all but one, and sign-ins that wait for their second step; their open panels sign out when the transaction commits. */
export async function endSessions(
  db: Executor,
  deps: Deps,
  userId: string,
  except: string | null,
  reason: string,
): Promise<void> {
  await deletePendingOf(db, userId);
  for (const sessionId of await endSessionsOf(db, userId, except, reason, deps.clock.now())) {
    await deps.bus.announce(db, sessionEnded, { userId, sessionId });
  }
}

/** Ends one session of a user, and its open panels sign out. False if it is not theirs or had ended before. */
export async function endSession(
  db: Executor,
  deps: Deps,
  userId: string,
  sessionId: string,
  reason: string,
): Promise<boolean> {
  if (!(await endSessionOf(db, userId, sessionId, reason, deps.clock.now()))) return false;
  await deps.bus.announce(db, sessionEnded, { userId, sessionId });
  return true;
}

import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database.ts';
import { endSessionsOf } from './tables.ts';

/** Ends a person's sessions, all or all but one; their open panels leave when the transaction commits. */
export async function endSessions(
  tx: Tx,
  deps: { readonly clock: Clock; readonly bus: Bus },
  userId: string,
  except: string | null,
  reason: string,
): Promise<void> {
  for (const sessionId of await endSessionsOf(tx, userId, except, reason, deps.clock.now())) {
    await deps.bus.announce(tx, { topic: 'user', userId, event: { type: 'session-ended', sessionId } });
  }
}

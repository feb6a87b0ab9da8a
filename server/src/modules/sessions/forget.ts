import { addDays } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { deleteOldFailures } from './password-tables.ts';
import { deleteOldSessions } from './tables.ts';

/** Forgets codes and sessions that are long over. */
export async function forgetOldSessions(db: Executor, now: Date): Promise<void> {
  await deleteOldSessions(db, now);
  await deleteOldFailures(db, addDays(now, -1));
}

import type { Executor } from '../../platform/database.ts';
import { deleteOldSessions } from './tables.ts';

/** Forgets codes and sessions that are long over. */
export async function forgetOldSessions(db: Executor, now: Date): Promise<void> {
  await deleteOldSessions(db, now);
}

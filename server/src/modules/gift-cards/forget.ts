import { addDays } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { deleteFailures } from './tables.ts';

/** Forgets wrong codes once they no longer count. */
export async function forgetOldTries(db: Executor, now: Date): Promise<void> {
  await deleteFailures(db, addDays(now, -1));
}

import { addDays } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { deleteOldCodes } from './phone-tables.ts';

/** Forgets codes of text messages once they count for no limit any more. */
export async function forgetOldPhoneCodes(db: Executor, now: Date): Promise<void> {
  await deleteOldCodes(db, addDays(now, -1));
}

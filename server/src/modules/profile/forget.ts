import { limits } from '@raha/contract/limits.ts';
import { addDays } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { deleteOldCodes } from './phone-tables.ts';

/** Deletes text-message codes that no longer count towards a limit. */
export async function forgetOldPhoneCodes(db: Executor, now: Date): Promise<void> {
  await deleteOldCodes(db, addDays(now, -limits.keptDays.attempts));
}

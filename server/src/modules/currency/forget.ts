import { limits } from '@raha/contract/limits.ts';
import { addDays } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { deleteOldReadings, deleteRefusedReadings } from './tables.ts';

/** Deletes old readings of the market; the operator's own rates stay. */
export async function forgetOldRates(db: Executor, now: Date): Promise<void> {
  await deleteRefusedReadings(db, addDays(now, -limits.keptDays.attempts));
  await deleteOldReadings(db, addDays(now, -limits.keptDays.exchangeRates));
}

import { limits } from '@raha/contract/limits.ts';
import { addDays } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { deleteOldVisits, eraseAddresses } from './store-tables.ts';
import { deleteFailures } from './tables.ts';

/** Deletes failed attempts, visits to stores and webhooks once they no longer count. */
export async function forgetOldAttempts(db: Executor, now: Date): Promise<void> {
  await deleteFailures(db, addDays(now, -limits.keptDays.attempts));
  await deleteOldVisits(db, addDays(now, -limits.keptDays.storeVisits));
}

/** Erases the store addresses of a user, because they contain the e-mail address. */
export async function forgetVisits(tx: Tx, userId: string): Promise<void> {
  await eraseAddresses(tx, userId);
}

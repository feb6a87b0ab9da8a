import { limits } from '@raha/contract/limits.ts';
import { addDays } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { deleteNoticesOf, deleteOldNotices } from './tables.ts';

/**
 * Erases what is older than 180 days. Of causes that could come round again (a config that goes live, a cut) a row without
 * content stays: it is what keeps them from being told twice.
 */
export async function forgetOldNotices(db: Executor, now: Date): Promise<void> {
  await deleteOldNotices(db, addDays(now, -limits.notifications.keepDays), now);
}

/** Forgets all that somebody was told. */
export async function forgetNotices(tx: Tx, userId: string): Promise<void> {
  await deleteNoticesOf(tx, userId);
}

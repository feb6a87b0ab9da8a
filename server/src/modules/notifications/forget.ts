import { limits } from '@raha/contract/limits.ts';
import { addDays } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { deleteNotificationsOf, deleteOldNotifications } from './tables.ts';

/**
 * Erases old notifications. If a cause can be reported again (a config that goes live, a stopped service),
 * an empty row stays, so that the user is not notified twice.
 */
export async function forgetOldNotifications(db: Executor, now: Date): Promise<void> {
  await deleteOldNotifications(db, addDays(now, -limits.keptDays.notifications), now);
}

/** Forgets all notifications of a user. */
export async function forgetNotifications(tx: Tx, userId: string): Promise<void> {
  await deleteNotificationsOf(tx, userId);
}

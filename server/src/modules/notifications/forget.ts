import { limits } from '@raha/contract/limits.ts';
import { addDays } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { deleteDeliveriesOf, deleteOldDeliveries } from './delivery-tables.ts';
import { deleteNotificationsOf, deleteOldNotifications } from './tables.ts';

/**
 * Erases old notifications. If a cause can be reported again (a config that goes live, a stopped service),
 * an empty row stays, so that the user is not notified twice.
 */
export async function forgetOldNotifications(db: Executor, now: Date): Promise<void> {
  await deleteOldNotifications(db, addDays(now, -limits.keptDays.notifications), now);
}

export async function forgetOldDeliveries(db: Executor, now: Date): Promise<void> {
  await deleteOldDeliveries(db, addDays(now, -limits.keptDays.deliveries));
}

/** Forgets all notifications of a user, and what became of the messages to them. */
export async function forgetNotifications(tx: Tx, userId: string): Promise<void> {
  await deleteDeliveriesOf(tx, userId);
  await deleteNotificationsOf(tx, userId);
}

import type { Locale } from '@raha/contract/locale.ts';
import type { Notification } from '@raha/contract/public/notifications.ts';
import type { Executor } from '../../platform/database.ts';
import { type NotificationRow, selectNotifications, selectNotificationsBefore } from './tables.ts';
import { describeNotification } from './texts.ts';

/** The newest notifications of a user, in the reader's language. */
export async function listNotifications(
  db: Executor,
  userId: string,
  limit: number,
  locale: Locale,
): Promise<Notification[]> {
  return (await selectNotifications(db, userId, limit)).map((row) => toNotification(row, locale));
}

/** Those before an instant, newest first; all of the last instant. */
export async function listNotificationsBefore(
  db: Executor,
  { userId, before, limit }: { readonly userId: string; readonly before: Date; readonly limit: number },
  locale: Locale,
): Promise<Notification[]> {
  return (await selectNotificationsBefore(db, userId, before, limit)).map((row) => toNotification(row, locale));
}

export async function listAllNotifications(db: Executor, userId: string, locale: Locale): Promise<Notification[]> {
  return await listNotifications(db, userId, 1_000_000, locale);
}

function toNotification({ id, kind, data, created_at, read_at }: NotificationRow, locale: Locale): Notification {
  const createdAt = created_at.toISOString();
  return { id, kind, ...describeNotification({ kind, data }, locale), createdAt, read: read_at !== null };
}

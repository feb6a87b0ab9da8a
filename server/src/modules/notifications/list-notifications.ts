import type { Locale } from '@raha/contract/locale.ts';
import type { Notification } from '@raha/contract/public/notifications.ts';
import type { Executor } from '../../platform/database.ts';
import { type NotificationRow, selectNotifications } from './tables.ts';
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

export async function listAllNotifications(db: Executor, userId: string, locale: Locale): Promise<Notification[]> {
  return await listNotifications(db, userId, 1_000_000, locale);
}

function toNotification({ id, kind, data, created_at, read_at }: NotificationRow, locale: Locale): Notification {
  const createdAt = created_at.toISOString();
  return { id, kind, ...describeNotification({ kind, data }, locale), createdAt, read: read_at !== null };
}

import type { NotificationKind } from '@raha/contract/public/notifications.ts';
import type { Database, Executor } from '../../platform/database.ts';
import type { Vault } from '../../platform/sealed.ts';
import { changePreferences, getPreferences, stopMailing } from '../accounts/preferences.ts';
import { initialMailKinds, isMailable, mailableKinds } from './rules.ts';

/** Which kinds of notifications a user gets by email, and whether email is on at all. */
export async function readChoices(
  db: Executor,
  userId: string,
): Promise<{ readonly isOn: boolean; readonly kinds: NotificationKind[] }> {
  const { email_notifications: isOn, mail_kinds: chosen } = await getPreferences(db, userId);
  return { isOn, kinds: mailableKinds.filter((kind) => (chosen ?? initialMailKinds).includes(kind)) };
}

export async function changeChoices(db: Database, userId: string, kinds: readonly NotificationKind[]): Promise<void> {
  await changePreferences(db, userId, { mail_kinds: [...new Set(kinds)].filter(isMailable) });
}

const CONTEXT = 'unsubscribe';

/** The token of an email's unsubscribe link: user and kind, sealed. It does not expire. */
export function unsubscribeToken(vault: Vault, userId: string, kind: NotificationKind): string {
  return vault.seal(JSON.stringify([userId, kind]), CONTEXT);
}

export function readUnsubscribeToken(
  vault: Vault,
  token: string,
): { readonly userId: string; readonly kind: NotificationKind } | undefined {
  try {
    const [userId, kind] = JSON.parse(vault.open(token, CONTEXT)) as [string, NotificationKind];
    return { userId, kind };
  } catch {
    return undefined;
  }
}

/** Stops one kind of email. Safe to repeat, also for a deleted user. */
export async function unsubscribe(db: Executor, userId: string, kind: NotificationKind): Promise<void> {
  await stopMailing(db, userId, kind, initialMailKinds);
}

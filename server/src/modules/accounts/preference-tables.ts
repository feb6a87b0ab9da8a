import type { Locale } from '@raha/contract/locale.ts';
import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';

/** The only file that names preference. */
export interface PreferenceRow {
  readonly user_id: string;
  readonly email_notifications: boolean;
  readonly sms_notifications: boolean;
  readonly auto_connect: boolean;
  readonly language: Locale;
  readonly theme: 'dark' | 'light' | 'auto';
  /** Null: the default kinds. */
  readonly mail_kinds: readonly string[] | null;
}

export async function selectPreferences(db: Executor, userIds: readonly string[]): Promise<PreferenceRow[]> {
  const result = await sql<PreferenceRow>`
    SELECT i.user_id, coalesce(p.email_notifications, true) AS email_notifications,
      coalesce(p.sms_notifications, false) AS sms_notifications, coalesce(p.auto_connect, false) AS auto_connect,
      coalesce(p.language, 'fa') AS language, coalesce(p.theme, 'auto') AS theme, p.mail_kinds
    FROM unnest(${userIds}::uuid[]) AS i (user_id) LEFT JOIN preference p ON p.user_id = i.user_id
  `.execute(db);
  return result.rows;
}

/** Writes the given fields and keeps the others. One statement, so that two open tabs do not undo each other's changes. */
export async function upsertPreference(
  db: Executor,
  userId: string,
  change: Partial<Omit<PreferenceRow, 'user_id'>>,
): Promise<void> {
  const { email_notifications, sms_notifications, auto_connect, language, theme, mail_kinds } = change;
  await sql`
    INSERT INTO preference AS p (user_id, email_notifications, sms_notifications, auto_connect, language, theme, mail_kinds)
    VALUES (${userId}, ${email_notifications ?? true}, ${sms_notifications ?? false}, ${auto_connect ?? false},
      ${language ?? 'fa'}, ${theme ?? 'auto'}, ${mail_kinds ?? null}::text[])
    ON CONFLICT (user_id) DO UPDATE SET
      email_notifications = coalesce(${email_notifications ?? null}, p.email_notifications),
      sms_notifications = coalesce(${sms_notifications ?? null}, p.sms_notifications),
      auto_connect = coalesce(${auto_connect ?? null}, p.auto_connect),
      language = coalesce(${language ?? null}, p.language), theme = coalesce(${theme ?? null}, p.theme),
      mail_kinds = coalesce(${mail_kinds ?? null}::text[], p.mail_kinds)
  `.execute(db);
}

/** Removes one kind from the list, which is `initial` if the user has not chosen yet. */
export async function removeMailKind(
  db: Executor,
  userId: string,
  kind: string,
  initial: readonly string[],
): Promise<void> {
  await sql`
    INSERT INTO preference AS p (user_id, mail_kinds) VALUES (${userId}, array_remove(${initial}::text[], ${kind}))
    ON CONFLICT (user_id) DO UPDATE SET mail_kinds = array_remove(coalesce(p.mail_kinds, ${initial}::text[]), ${kind})
  `.execute(db);
}

export async function deletePreference(db: Executor, userId: string): Promise<void> {
  await sql`DELETE FROM preference WHERE user_id = ${userId}`.execute(db);
}

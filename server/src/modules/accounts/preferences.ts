import type { Executor } from '../../platform/database.ts';
import {
  deletePreference,
  type PreferenceRow,
  removeMailKind,
  selectPreferences,
  upsertPreference,
} from './preference-tables.ts';

/** How a person wants to be reached and what other clients of the account should look like. */
export type Preferences = PreferenceRow;

export async function getPreferences(db: Executor, userId: string): Promise<Preferences> {
  return (await selectPreferences(db, [userId]))[0] as Preferences;
}

export async function getPreferencesOf(db: Executor, userIds: readonly string[]): Promise<Map<string, Preferences>> {
  return new Map((await selectPreferences(db, userIds)).map((row) => [row.user_id, row]));
}

/** Changes what is given and leaves the rest. */
export async function changePreferences(
  db: Executor,
  userId: string,
  change: Partial<Omit<Preferences, 'user_id'>>,
): Promise<void> {
  await upsertPreference(db, userId, change);
}

/** The person does not want this kind by mail any more. */
export async function stopMailing(
  db: Executor,
  userId: string,
  kind: string,
  initial: readonly string[],
): Promise<void> {
  await removeMailKind(db, userId, kind, initial);
}

export async function forgetPreferences(db: Executor, userId: string): Promise<void> {
  await deletePreference(db, userId);
}

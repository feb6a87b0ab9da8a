import { type Database, type Executor, inTransaction } from '../../platform/database.ts';
import { type PreferenceRow, removeMailKind, selectPreferences, upsertPreference } from './preference-tables.ts';
import { lockRemaining } from './users.ts';

/** How a user wants to be notified, and the look of the clients of the account. */
export type Preferences = PreferenceRow;

export async function getPreferences(db: Executor, userId: string): Promise<Preferences> {
  return (await selectPreferences(db, [userId]))[0] as Preferences;
}

export async function getPreferencesOf(db: Executor, userIds: readonly string[]): Promise<Map<string, Preferences>> {
  return new Map((await selectPreferences(db, userIds)).map((row) => [row.user_id, row]));
}

/** Changes the given fields only. Refuses `unauthenticated` for an account that was erased meanwhile. */
export async function changePreferences(
  db: Database,
  userId: string,
  change: Partial<Omit<Preferences, 'user_id'>>,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockRemaining(tx, userId);
    await upsertPreference(tx, userId, change);
  });
}

/** Stops emails of one kind of notification. */
export async function stopMailing(
  db: Executor,
  userId: string,
  kind: string,
  initial: readonly string[],
): Promise<void> {
  await removeMailKind(db, userId, kind, initial);
}

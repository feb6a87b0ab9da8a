import type { AccountStatus, Role } from '@raha/contract/accounts.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { prepare } from '../../platform/statements.ts';

/** The file of the table `users`, and `trial-tables.ts`. */
export interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly status: AccountStatus;
  readonly profile_completed: boolean;
  readonly email_verified_at: Date | null;
  readonly activated_at: Date | null;
  /** The last day of the trial, or when it ended before that. */
  readonly trial_ends_at: Date | null;
  readonly created_at: Date;
  /** Verified by a code; unique among accounts. */
  readonly phone: string | null;
  readonly avatar_id: string | null;
  /** A new address that is not verified yet. */
  readonly pending_email: string | null;
}

const columnsWith = (
  trialEnd: string,
) => `id, email, name, role, status, profile_completed, email_verified_at, activated_at,
  least(trial_ends_at, ${trialEnd}) AS trial_ends_at, created_at, phone, avatar_id, pending_email`;
const columnList = columnsWith('(SELECT ended_at FROM trial WHERE user_id = users.id)');
const columns = sql.raw(columnList);
/** `UserRow`s, for the SQL of another module. */
export const userRows = sql.raw(`(SELECT ${columnList} FROM users)`);
/** The same with the trial of each user, null for who had none. */
export const userAndTrialRows = sql.raw(`(
  SELECT ${columnsWith('ended_at')}, trial_ends_at AS last_day, limit_bytes, used_bytes, ended_at, end_reason
  FROM users LEFT JOIN trial ON user_id = id)`);

export async function selectUser(db: Executor, id: string): Promise<UserRow | undefined> {
  return (await sql<UserRow>`SELECT ${columns} FROM users WHERE id = ${id}`.execute(db)).rows[0];
}

export async function selectUsers(db: Executor, ids: readonly string[]): Promise<UserRow[]> {
  return (await sql<UserRow>`SELECT ${columns} FROM users WHERE id = ANY (${ids}::uuid[])`.execute(db)).rows;
}

/** For the SQL of another module: the id of a user, held until the transaction ends; nothing if there is none, or it was erased. */
export function remainingUser(id: string | undefined): RawBuilder<{ id: string }> {
  return sql`SELECT id FROM users WHERE id = ${id ?? null}::uuid AND status <> 'deleted' FOR SHARE`;
}

export async function selectUserByEmailForUpdate(tx: Tx, email: string): Promise<UserRow | undefined> {
  return (await sql<UserRow>`SELECT ${columns} FROM users WHERE email = ${email} FOR NO KEY UPDATE`.execute(tx))
    .rows[0];
}

export async function selectUserForUpdate(tx: Tx, id: string): Promise<UserRow | undefined> {
  return (await sql<UserRow>`SELECT ${columns} FROM users WHERE id = ${id} FOR NO KEY UPDATE`.execute(tx)).rows[0];
}

/** False when another transaction created the address first. */
export async function insertUser(
  tx: Tx,
  user: Pick<UserRow, 'id' | 'email' | 'name' | 'role' | 'status'> & { readonly verifiedAt: Date | null },
  now: Date,
): Promise<boolean> {
  const result = await sql`
    INSERT INTO users (id, email, name, role, status, email_verified_at, created_at)
    VALUES (${user.id}, ${user.email}, ${user.name}, ${user.role}, ${user.status}, ${user.verifiedAt}, ${now})
    ON CONFLICT (email) DO NOTHING
  `.execute(tx);
  return result.numAffectedRows === 1n;
}

export async function updateProfile(tx: Tx, id: string, name: string, trialEndsAt: Date | null): Promise<void> {
  await sql`
    UPDATE users SET name = ${name}, profile_completed = true, status = 'active', trial_ends_at = coalesce(trial_ends_at, ${trialEndsAt})
    WHERE id = ${id}
  `.execute(tx);
}

export async function updateEmailVerified(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`UPDATE users SET email_verified_at = coalesce(email_verified_at, ${now}) WHERE id = ${id}`.execute(tx);
}

/** True when this call activated the account; false when it was active already. */
export async function updateActivated(tx: Tx, id: string, now: Date): Promise<boolean> {
  const result = await sql`UPDATE users SET activated_at = ${now} WHERE id = ${id} AND activated_at IS NULL`.execute(
    tx,
  );
  return result.numAffectedRows === 1n;
}

export async function updateRole(tx: Tx, id: string, role: Role): Promise<void> {
  await sql`UPDATE users SET role = ${role} WHERE id = ${id}`.execute(tx);
}

/**
 * Takes over an unverified registration for the owner of the address: clears password, name, profile and trial, and marks
 * the address as verified. The trial cannot have been used, because an unverified account has no configs.
 */
export async function updateDisowned(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`
    UPDATE users SET email_verified_at = ${now}, password_hash = NULL, name = '', profile_completed = false, status = 'incomplete',
      pending_email = NULL, trial_ends_at = NULL
    WHERE id = ${id}
  `.execute(tx);
}

type WithPassword = UserRow & { readonly password_hash: string | null };

export const userWithPassword = prepare<{ email: string }, WithPassword>(
  ({ email }) => sql`SELECT ${columns}, password_hash FROM users WHERE email = ${email}`,
);

export const userWithPasswordForUpdate = prepare<{ id: string }, WithPassword>(
  ({ id }) => sql`SELECT ${columns}, password_hash FROM users WHERE id = ${id} FOR NO KEY UPDATE`,
);

export async function selectPasswordHash(db: Executor, id: string): Promise<string | null> {
  const result = await sql<{ password_hash: string | null }>`SELECT password_hash FROM users WHERE id = ${id}`.execute(
    db,
  );
  return result.rows[0]?.password_hash ?? null;
}

export async function updatePasswordHash(tx: Tx, id: string, hash: string): Promise<void> {
  await sql`UPDATE users SET password_hash = ${hash} WHERE id = ${id}`.execute(tx);
}

export async function updateName(tx: Tx, id: string, name: string): Promise<void> {
  await sql`UPDATE users SET name = ${name} WHERE id = ${id}`.execute(tx);
}

export async function updatePhone(tx: Tx, id: string, phone: string | null): Promise<void> {
  await sql`UPDATE users SET phone = ${phone} WHERE id = ${id}`.execute(tx);
}

export async function isPhoneOfAnother(tx: Tx, id: string, phone: string): Promise<boolean> {
  const result = await sql`SELECT 1 FROM users WHERE phone = ${phone} AND id <> ${id}`.execute(tx);
  return result.rows.length > 0;
}

export async function updatePendingEmail(tx: Tx, id: string, email: string | null): Promise<void> {
  await sql`UPDATE users SET pending_email = ${email} WHERE id = ${id}`.execute(tx);
}

/** Replaces the address by a new one that was verified. */
export async function updateEmail(tx: Tx, id: string, email: string, now: Date): Promise<void> {
  await sql`
    UPDATE users SET email = ${email}, email_verified_at = ${now}, pending_email = NULL WHERE id = ${id}
  `.execute(tx);
}

export async function updateStatus(tx: Tx, id: string, status: AccountStatus): Promise<void> {
  await sql`UPDATE users SET status = ${status} WHERE id = ${id}`.execute(tx);
}

/** Keeps only what the ledger needs: an account that is identified by its id alone. */
export async function updateErased(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`
    UPDATE users SET status = 'deleted', email = ${`${id}@deleted.invalid`}, name = '', phone = NULL, avatar_id = NULL,
      pending_email = NULL, password_hash = NULL, deleted_at = ${now}
    WHERE id = ${id}
  `.execute(tx);
}

export async function selectDeletedBefore(db: Executor, before: Date): Promise<string[]> {
  const result = await sql<{ id: string }>`
    SELECT id FROM users WHERE status = 'deleted' AND deleted_at <= ${before} ORDER BY deleted_at, id
  `.execute(db);
  return result.rows.map((row) => row.id);
}

export function idsBefore(id: string): RawBuilder<unknown> {
  return sql`SELECT id FROM users WHERE id < ${id}::uuid`;
}

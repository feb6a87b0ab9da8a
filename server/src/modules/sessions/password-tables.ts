import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names password_reset and the failed log-ins in `attempt`. */

export async function selectFailures(db: Executor, email: string, since: Date): Promise<Date[]> {
  const result = await sql<{ at: Date }>`
    SELECT at FROM attempt WHERE scope = 'login' AND subject = ${email} AND at > ${since}
  `.execute(db);
  return result.rows.map((row) => row.at);
}

export async function countFailure(db: Executor, email: string, now: Date): Promise<void> {
  await sql`INSERT INTO attempt (scope, subject, at) VALUES ('login', ${email}, ${now})`.execute(db);
}

export async function forgetFailures(db: Executor, email: string): Promise<void> {
  await sql`DELETE FROM attempt WHERE scope = 'login' AND subject = ${email}`.execute(db);
}

export async function deleteOldFailures(db: Executor, before: Date): Promise<void> {
  await sql`DELETE FROM attempt WHERE scope = 'login' AND at < ${before}`.execute(db);
  await sql`DELETE FROM password_reset WHERE created_at < ${before}`.execute(db);
}

export async function insertReset(
  tx: Tx,
  reset: { tokenHash: Buffer; userId: string; expiresAt: Date },
  now: Date,
): Promise<void> {
  await sql`UPDATE password_reset SET used_at = ${now} WHERE user_id = ${reset.userId} AND used_at IS NULL`.execute(tx);
  await sql`
    INSERT INTO password_reset (token_hash, user_id, created_at, expires_at) VALUES (${reset.tokenHash}, ${reset.userId}, ${now}, ${reset.expiresAt})
  `.execute(tx);
}

/** Uses a token up: of any number of callers, one gets the person. */
export async function takeReset(tx: Tx, tokenHash: Buffer, now: Date): Promise<string | undefined> {
  const result = await sql<{ user_id: string }>`
    UPDATE password_reset SET used_at = ${now} WHERE token_hash = ${tokenHash} AND used_at IS NULL AND expires_at > ${now}
    RETURNING user_id
  `.execute(tx);
  return result.rows[0]?.user_id;
}

/** When the person was last sent a link. */
export async function selectLastReset(tx: Tx, userId: string): Promise<Date | undefined> {
  const result = await sql<{ created_at: Date }>`
    SELECT created_at FROM password_reset WHERE user_id = ${userId} ORDER BY created_at DESC LIMIT 1
  `.execute(tx);
  return result.rows[0]?.created_at;
}

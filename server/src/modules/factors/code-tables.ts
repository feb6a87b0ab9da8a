import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names totp_secret and recovery_code. */

export interface TotpRow {
  readonly secret_sealed: string;
  readonly last_step: bigint;
  readonly created_at: Date;
  readonly confirmed_at: Date | null;
  readonly last_used_at: Date | null;
}

export async function selectTotp(db: Executor, userId: string): Promise<TotpRow | undefined> {
  const result = await sql<TotpRow>`
    SELECT secret_sealed, last_step, created_at, confirmed_at, last_used_at FROM totp_secret WHERE user_id = ${userId}
  `.execute(db);
  return result.rows[0];
}

export async function lockTotp(tx: Tx, userId: string): Promise<TotpRow | undefined> {
  const result = await sql<TotpRow>`
    SELECT secret_sealed, last_step, created_at, confirmed_at, last_used_at FROM totp_secret
    WHERE user_id = ${userId} FOR UPDATE
  `.execute(tx);
  return result.rows[0];
}

/** Replaces a secret that no code has confirmed. */
export async function putTotp(tx: Tx, userId: string, secretSealed: string, now: Date): Promise<void> {
  await sql`
    INSERT INTO totp_secret (user_id, secret_sealed, created_at) VALUES (${userId}, ${secretSealed}, ${now})
    ON CONFLICT (user_id) DO UPDATE SET secret_sealed = excluded.secret_sealed, created_at = excluded.created_at
    WHERE totp_secret.confirmed_at IS NULL
  `.execute(tx);
}

export async function confirmTotpRow(tx: Tx, userId: string, step: bigint, now: Date): Promise<void> {
  await sql`UPDATE totp_secret SET confirmed_at = ${now}, last_step = ${step} WHERE user_id = ${userId}`.execute(tx);
}

export async function updateTotpUse(tx: Tx, userId: string, step: bigint, now: Date): Promise<void> {
  await sql`UPDATE totp_secret SET last_step = ${step}, last_used_at = ${now} WHERE user_id = ${userId}`.execute(tx);
}

/** False if there was no confirmed secret; one that no code has confirmed is deleted, too. */
export async function deleteTotp(tx: Tx, userId: string): Promise<boolean> {
  const result = await sql<{ confirmed_at: Date | null }>`
    DELETE FROM totp_secret WHERE user_id = ${userId} RETURNING confirmed_at
  `.execute(tx);
  return (result.rows[0]?.confirmed_at ?? null) !== null;
}

/** Replaces all codes of a user, used ones too. */
export async function replaceCodes(tx: Tx, userId: string, hmacs: readonly Buffer[], now: Date): Promise<void> {
  await deleteCodes(tx, userId);
  for (const hmac of hmacs) {
    await sql`INSERT INTO recovery_code (user_id, code_hmac, created_at) VALUES (${userId}, ${hmac}, ${now})`.execute(
      tx,
    );
  }
}

/** Whether the user has recovery codes, and how many of them are unused. */
export async function countCodes(db: Executor, userId: string): Promise<{ made: number; left: number }> {
  const result = await sql<{ made: bigint; unused: bigint }>`
    SELECT count(*) AS made, count(*) FILTER (WHERE used_at IS NULL) AS unused FROM recovery_code WHERE user_id = ${userId}
  `.execute(db);
  return { made: Number(result.rows[0]?.made ?? 0n), left: Number(result.rows[0]?.unused ?? 0n) };
}

/** Of several concurrent callers, one gets true. */
export async function takeCode(tx: Tx, userId: string, hmac: Buffer, now: Date): Promise<boolean> {
  const result = await sql`
    UPDATE recovery_code SET used_at = ${now} WHERE user_id = ${userId} AND code_hmac = ${hmac} AND used_at IS NULL
  `.execute(tx);
  return result.numAffectedRows === 1n;
}

export async function deleteCodes(tx: Tx, userId: string): Promise<void> {
  await sql`DELETE FROM recovery_code WHERE user_id = ${userId}`.execute(tx);
}

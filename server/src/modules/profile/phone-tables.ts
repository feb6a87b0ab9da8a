import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';

/** The only file that names phone_challenge. */
export interface PhoneChallenge {
  readonly id: string;
  readonly code_hmac: Buffer;
  readonly attempts: number;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** Serialises all work on one number, from any account, until the transaction ends. */
export async function lockNumber(tx: Tx, phone: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`phone:${phone}`}, 0))`.execute(tx);
}

/** The times at which codes were sent to a number or requested by an account; newest first. */
export async function selectCodeTimes(
  tx: Tx,
  of: { readonly phone: string } | { readonly userId: string },
  since: Date,
): Promise<Date[]> {
  const whose = 'phone' in of ? sql`phone = ${of.phone}` : sql`user_id = ${of.userId}`;
  const result = await sql<{ created_at: Date }>`
    SELECT created_at FROM phone_challenge WHERE ${whose} AND created_at > ${since} ORDER BY created_at DESC
  `.execute(tx);
  return result.rows.map((row) => row.created_at);
}

/** The number that an account asked for last. */
export async function selectLastNumber(db: Executor, userId: string): Promise<string | undefined> {
  const { rows } = await sql<{ phone: string }>`
    SELECT phone FROM phone_challenge WHERE user_id = ${userId} ORDER BY created_at DESC LIMIT 1
  `.execute(db);
  return rows[0]?.phone;
}

export async function countCodes(tx: Tx, since: Date): Promise<number> {
  const result = await sql<{ count: bigint }>`
    SELECT count(*) AS count FROM phone_challenge WHERE created_at > ${since}
  `.execute(tx);
  return Number(result.rows[0]?.count ?? 0n);
}

/** A new code of an account for a number; the account's earlier codes become invalid. */
export async function insertCode(
  tx: Tx,
  code: { id: string; userId: string; phone: string; hmac: Buffer; expiresAt: Date },
  now: Date,
): Promise<void> {
  await sql`
    UPDATE phone_challenge SET replaced_at = ${now}
    WHERE user_id = ${code.userId} AND used_at IS NULL AND replaced_at IS NULL
  `.execute(tx);
  await sql`
    INSERT INTO phone_challenge (id, user_id, phone, code_hmac, created_at, expires_at)
    VALUES (${code.id}, ${code.userId}, ${code.phone}, ${code.hmac}, ${now}, ${code.expiresAt})
  `.execute(tx);
}

export async function lockOpenCode(tx: Tx, userId: string, phone: string): Promise<PhoneChallenge | undefined> {
  const result = await sql<PhoneChallenge>`
    SELECT id, code_hmac, attempts, created_at, expires_at FROM phone_challenge
    WHERE user_id = ${userId} AND phone = ${phone} AND used_at IS NULL AND replaced_at IS NULL
    ORDER BY created_at DESC LIMIT 1 FOR UPDATE
  `.execute(tx);
  return result.rows[0];
}

export async function countPhoneTry(tx: Tx, id: string): Promise<void> {
  await sql`UPDATE phone_challenge SET attempts = attempts + 1 WHERE id = ${id}`.execute(tx);
}

export async function markCodeUsed(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`UPDATE phone_challenge SET used_at = ${now} WHERE id = ${id}`.execute(tx);
}

export async function deleteCodesOf(tx: Tx, userId: string): Promise<void> {
  await sql`DELETE FROM phone_challenge WHERE user_id = ${userId}`.execute(tx);
}

export async function deleteOldCodes(db: Executor, before: Date): Promise<void> {
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM phone_challenge WHERE ctid IN (SELECT ctid FROM phone_challenge WHERE created_at < ${before} LIMIT ${limit})`,
  );
}

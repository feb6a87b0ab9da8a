import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';
import { latestStart } from './rules.ts';
import type { SignInMethod } from './start-session.ts';

/** The only file that names pending_sign_in. */

export interface PendingRow {
  readonly user_id: string;
  readonly method: SignInMethod;
  readonly session_days: number;
  readonly expires_at: Date;
}

export async function insertPending(
  tx: Tx,
  pending: { tokenHash: Buffer; userId: string; method: SignInMethod; days: number; expiresAt: Date },
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO pending_sign_in (token_hash, user_id, method, session_days, created_at, expires_at)
    VALUES (${pending.tokenHash}, ${pending.userId}, ${pending.method}, ${pending.days}, ${now}, ${pending.expiresAt})
  `.execute(tx);
}

export async function selectPending(db: Executor, tokenHash: Buffer, now: Date): Promise<PendingRow | undefined> {
  const result = await sql<PendingRow>`
    SELECT user_id, method, session_days, expires_at FROM pending_sign_in
    WHERE token_hash = ${tokenHash} AND expires_at > ${now} AND created_at <= ${latestStart(now)}
  `.execute(db);
  return result.rows[0];
}

/** Of several concurrent callers, one gets it. */
export async function takePending(tx: Tx, tokenHash: Buffer, now: Date): Promise<PendingRow | undefined> {
  const result = await sql<PendingRow>`
    DELETE FROM pending_sign_in
    WHERE token_hash = ${tokenHash} AND expires_at > ${now} AND created_at <= ${latestStart(now)}
    RETURNING user_id, method, session_days, expires_at
  `.execute(tx);
  return result.rows[0];
}

export async function deletePendingOf(db: Executor, userId: string): Promise<void> {
  await sql`DELETE FROM pending_sign_in WHERE user_id = ${userId}`.execute(db);
}

export async function deleteOldPending(db: Executor, now: Date): Promise<void> {
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM pending_sign_in WHERE ctid IN (SELECT ctid FROM pending_sign_in WHERE expires_at < ${now} LIMIT ${limit})`,
  );
}

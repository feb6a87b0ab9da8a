import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';
import { latestEnd } from './rules.ts';

/**
 * One per session, and one per browser: what the browser had for another session is this session's from now on. A session that
 * ended meanwhile gets none, which the lock on it decides. The session is locked before its subscription, as by who ends it.
 * The caller holds the user's lock.
 */
export async function upsertSubscription(
  tx: Tx,
  row: { readonly sessionId: string; readonly mark: Buffer; readonly sealed: string },
  now: Date,
): Promise<void> {
  const { rows } = await sql<{ expires_at: Date }>`
    SELECT expires_at FROM session WHERE id = ${row.sessionId} AND ended_at IS NULL FOR NO KEY UPDATE
  `.execute(tx);
  const session = rows[0];
  if (!session) return;
  await sql`
    DELETE FROM push_subscription WHERE session_id = ${row.sessionId} AND endpoint_mark <> ${row.mark}
  `.execute(tx);
  await sql`
    INSERT INTO push_subscription (session_id, endpoint_mark, subscription_sealed, created_at, expires_at)
    VALUES (${row.sessionId}, ${row.mark}, ${row.sealed}, ${now}, ${session.expires_at})
    ON CONFLICT (endpoint_mark) DO UPDATE
      SET session_id = excluded.session_id, subscription_sealed = excluded.subscription_sealed, created_at = ${now},
        expires_at = excluded.expires_at
  `.execute(tx);
}

/** Deletes those of a user beyond the newest; that of `sessionId` stays. */
export async function deleteBeyond(tx: Tx, userId: string, sessionId: string, max: number): Promise<void> {
  await sql`
    DELETE FROM push_subscription WHERE session_id IN (
      SELECT p.session_id FROM session s JOIN push_subscription p ON p.session_id = s.id WHERE s.user_id = ${userId}
      ORDER BY (p.session_id = ${sessionId}) DESC, p.created_at DESC, p.session_id OFFSET ${max})
  `.execute(tx);
}

export async function deleteSubscriptions(db: Executor, sessionIds: readonly string[]): Promise<void> {
  await sql`DELETE FROM push_subscription WHERE session_id = ANY (${sessionIds}::uuid[])`.execute(db);
}

/** Of a session that is still open. */
export async function selectSubscription(db: Executor, sessionId: string, now: Date): Promise<string | undefined> {
  const { rows } = await sql<{ subscription_sealed: string }>`
    SELECT p.subscription_sealed FROM push_subscription p JOIN session s ON s.id = p.session_id
    WHERE p.session_id = ${sessionId} AND s.ended_at IS NULL AND s.expires_at > ${now} AND s.expires_at < ${latestEnd(now)}
  `.execute(db);
  return rows[0]?.subscription_sealed;
}

/** The open sessions of users whose browsers take notifications. */
export async function selectSubscribed(
  db: Executor,
  userIds: readonly string[],
  now: Date,
): Promise<{ user_id: string; session_id: string }[]> {
  const { rows } = await sql<{ user_id: string; session_id: string }>`
    SELECT s.user_id, p.session_id FROM session s JOIN push_subscription p ON p.session_id = s.id
    WHERE s.user_id = ANY (${userIds}::uuid[])
      AND s.ended_at IS NULL AND s.expires_at > ${now} AND s.expires_at < ${latestEnd(now)}
  `.execute(db);
  return rows;
}

/** Those of sessions that ran out; those of sessions that were ended are gone already. */
export async function deleteOldSubscriptions(db: Executor, now: Date): Promise<void> {
  await inBatches(
    db,
    (limit) => sql`
      DELETE FROM push_subscription WHERE ctid IN (
        SELECT ctid FROM push_subscription WHERE expires_at <= ${now} LIMIT ${limit})
    `,
  );
}

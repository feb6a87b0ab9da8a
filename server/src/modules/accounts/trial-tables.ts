import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names `trial_mark`, and with `tables.ts` the only one that names `trial`. */
export interface TrialRow {
  readonly user_id: string;
  readonly limit_bytes: bigint;
  readonly used_bytes: bigint;
  readonly ended_at: Date | null;
  readonly end_reason: 'traffic' | 'earlier' | null;
  /** The last day of the trial, if nothing ended it before. */
  readonly last_day: Date | null;
}

const columns = sql.raw(
  't.user_id, t.limit_bytes, t.used_bytes, t.ended_at, t.end_reason, u.trial_ends_at AS last_day',
);

export async function insertTrial(tx: Tx, userId: string, limitBytes: bigint): Promise<void> {
  await sql`INSERT INTO trial (user_id, limit_bytes) VALUES (${userId}, ${limitBytes}) ON CONFLICT DO NOTHING`.execute(
    tx,
  );
}

export async function deleteTrial(tx: Tx, userId: string): Promise<void> {
  await sql`DELETE FROM trial_mark WHERE user_id = ${userId}`.execute(tx);
  await sql`DELETE FROM trial WHERE user_id = ${userId}`.execute(tx);
}

export async function selectTrials(db: Executor, userIds: readonly string[]): Promise<TrialRow[]> {
  const result = await sql<TrialRow>`
    SELECT ${columns} FROM trial t JOIN users u ON u.id = t.user_id WHERE t.user_id = ANY (${userIds}::uuid[])
  `.execute(db);
  return result.rows;
}

/** Locks trials in the order of their users, so that reports of several nodes count one after the other. */
export async function lockTrials(tx: Tx, userIds: readonly string[]): Promise<TrialRow[]> {
  const result = await sql<TrialRow>`
    SELECT ${columns} FROM trial t JOIN users u ON u.id = t.user_id
    WHERE t.user_id = ANY (${userIds}::uuid[]) ORDER BY t.user_id FOR UPDATE OF t
  `.execute(tx);
  return result.rows;
}

export async function updateUsed(
  tx: Tx,
  uses: readonly { userId: string; usedBytes: bigint; isUsedUp: boolean }[],
  now: Date,
): Promise<void> {
  await sql`
    UPDATE trial t SET used_bytes = u.used, ended_at = CASE WHEN u.up THEN coalesce(t.ended_at, ${now}) ELSE t.ended_at END,
      end_reason = CASE WHEN u.up THEN coalesce(t.end_reason, 'traffic') ELSE t.end_reason END
    FROM unnest(${uses.map((use) => use.userId)}::uuid[], ${uses.map((use) => String(use.usedBytes))}::bigint[],
      ${uses.map((use) => use.isUsedUp)}::boolean[]) AS u (user_id, used, up)
    WHERE t.user_id = u.user_id
  `.execute(tx);
}

/** Ends the trial of a user whose mailbox or number had one before. */
export async function updateRefused(tx: Tx, userId: string, now: Date): Promise<void> {
  await sql`
    UPDATE trial SET ended_at = ${now}, end_reason = 'earlier' WHERE user_id = ${userId} AND ended_at IS NULL
  `.execute(tx);
}

/** Keeps these marks for a user, and says whether one of them belongs to another trial. */
export async function keepMarks(tx: Tx, userId: string, marks: readonly Buffer[]): Promise<boolean> {
  // In one order, so that two claims of the same marks wait for each other and do not deadlock.
  await sql`
    INSERT INTO trial_mark (mark, user_id) SELECT mark, ${userId} FROM unnest(${marks}::bytea[]) AS mark ORDER BY mark
    ON CONFLICT DO NOTHING
  `.execute(tx);
  const result = await sql`
    SELECT 1 FROM trial_mark WHERE mark = ANY (${marks}::bytea[]) AND user_id IS DISTINCT FROM ${userId}
  `.execute(tx);
  return result.rows.length > 0;
}

export async function updateMarksDisowned(tx: Tx, userId: string): Promise<void> {
  await sql`UPDATE trial_mark SET user_id = NULL WHERE user_id = ${userId}`.execute(tx);
}

/** Users whose trials began before marks were kept, at most `limit`. */
export async function selectUnmarked(
  tx: Tx,
  limit: number,
): Promise<{ id: string; email: string; phone: string | null; is_verified: boolean }[]> {
  const result = await sql<{ id: string; email: string; phone: string | null; is_verified: boolean }>`
    SELECT u.id, u.email, u.phone, u.email_verified_at IS NOT NULL AND u.status <> 'deleted' AS is_verified
    FROM trial t JOIN users u ON u.id = t.user_id WHERE NOT t.is_marked ORDER BY t.user_id LIMIT ${limit} FOR UPDATE OF t
  `.execute(tx);
  return result.rows;
}

export async function updateMarked(tx: Tx, userIds: readonly string[]): Promise<void> {
  await sql`UPDATE trial SET is_marked = true WHERE user_id = ANY (${userIds}::uuid[])`.execute(tx);
}

/** Takes the users whose trial traffic was used up before its last day and who were not notified yet, at most `limit`. */
export async function takeUnnotified(
  tx: Tx,
  limit: number,
  now: Date,
): Promise<{ user_id: string; limit_bytes: bigint; was_running: boolean }[]> {
  const result = await sql<{ user_id: string; limit_bytes: bigint; was_running: boolean }>`
    UPDATE trial t SET notified_at = ${now} FROM users u
    WHERE u.id = t.user_id AND t.user_id IN (
      SELECT user_id FROM trial WHERE end_reason = 'traffic' AND notified_at IS NULL ORDER BY user_id LIMIT ${limit} FOR UPDATE
    )
    RETURNING t.user_id, t.limit_bytes, u.trial_ends_at > t.ended_at AND u.status <> 'deleted' AS was_running
  `.execute(tx);
  return result.rows;
}

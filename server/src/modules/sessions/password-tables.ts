import { limits } from '@raha/contract/limits.ts';
import { sql } from 'kysely';
import { addSeconds } from '../../platform/clock.ts';
import { type Executor, readRows, type Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';
import { prepare } from '../../platform/statements.ts';
import { latestStart, STRANGERS } from './rules.ts';

/** password_reset, failed_login and email_change_request. */

export async function selectFailures(db: Executor, email: string, bucket: string, since: Date): Promise<Date[]> {
  const result = await sql<{ at: Date }>`
    SELECT at FROM failed_login WHERE email = ${email} AND bucket = ${bucket} AND at > ${since}
  `.execute(db);
  return result.rows.map((row) => row.at);
}

/**
 * The failures since an instant, after attempts at the same address that began earlier. This one is counted as one of them, unless
 * as many as allowed have happened.
 */
export async function takeAttempt(
  db: Executor,
  attempt: { readonly email: string; readonly bucket: string; readonly since: Date; readonly allowed: number },
  now: Date,
): Promise<Date[]> {
  const [row] = await readRows(db, failuresBefore({ ...attempt, until: latestStart(now), now }));
  return row?.earlier ?? [];
}

interface AttemptRow {
  readonly email: string;
  readonly bucket: string;
  readonly since: Date;
  readonly until: Date;
  readonly allowed: number;
  readonly now: Date;
}

const failuresBefore = prepare<AttemptRow, { earlier: Date[] }>(
  ({ email, bucket, since, until, allowed, now }) => sql`
    SELECT failed_login_attempt(${email}, ${bucket}, ${since}, ${until}, ${allowed}, ${now}) AS earlier
  `,
);

export async function countFailure(db: Executor, email: string, bucket: string, now: Date): Promise<void> {
  await sql`INSERT INTO failed_login (email, bucket, at) VALUES (${email}, ${bucket}, ${now})`.execute(db);
}

/** Removes one failure. */
export async function uncountFailure(db: Executor, email: string, bucket: string, at: Date): Promise<void> {
  await sql`
    DELETE FROM failed_login WHERE ctid = (
      SELECT ctid FROM failed_login WHERE email = ${email} AND bucket = ${bucket} AND at = ${at} LIMIT 1 FOR UPDATE SKIP LOCKED
    )
  `.execute(db);
}

/** Forgets the failures of a bucket, and returns them: `countRecent` tells how many still counted. */
export const forgottenFailures = prepare<{ email: string; bucket: string }, { at: Date }>(
  ({ email, bucket }) => sql`DELETE FROM failed_login WHERE email = ${email} AND bucket = ${bucket} RETURNING at`,
);

export function countRecent(failures: readonly { readonly at: Date }[], now: Date): number {
  const since = addSeconds(now, -limits.password.windowMinutes * 60);
  return failures.filter(({ at }) => at > since).length;
}

/** Wrong passwords of unknown browsers since an instant, on the whole site. */
export async function countStrangersFailures(db: Executor, since: Date): Promise<number> {
  const result = await sql<{ count: bigint }>`
    SELECT count(*) AS count FROM failed_login WHERE bucket = ${STRANGERS} AND at > ${since}
  `.execute(db);
  return Number(result.rows[0]?.count ?? 0n);
}

/** How many new addresses an account has asked to prove since an instant. */
export async function selectEmailChanges(db: Executor, userId: string, since: Date): Promise<number> {
  const result = await sql<{ count: bigint }>`
    SELECT count(*) AS count FROM email_change_request WHERE user_id = ${userId} AND at > ${since}
  `.execute(db);
  return Number(result.rows[0]?.count ?? 0n);
}

export async function countEmailChange(db: Executor, userId: string, now: Date): Promise<void> {
  await sql`INSERT INTO email_change_request (user_id, at) VALUES (${userId}, ${now})`.execute(db);
}

/** Removes the latest request. */
export async function uncountEmailChange(db: Executor, userId: string): Promise<void> {
  await sql`
    DELETE FROM email_change_request WHERE ctid = (
      SELECT ctid FROM email_change_request WHERE user_id = ${userId} ORDER BY at DESC LIMIT 1
    )
  `.execute(db);
}

export async function deleteOldFailures(db: Executor, before: Date): Promise<void> {
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM failed_login WHERE ctid IN (SELECT ctid FROM failed_login WHERE at < ${before} LIMIT ${limit})`,
  );
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM email_change_request WHERE ctid IN (SELECT ctid FROM email_change_request WHERE at < ${before} LIMIT ${limit})`,
  );
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM password_reset WHERE ctid IN (SELECT ctid FROM password_reset WHERE created_at < ${before} LIMIT ${limit})`,
  );
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

/** Whether a token is still valid; nothing is consumed. */
export async function isResetOpen(db: Executor, tokenHash: Buffer, now: Date): Promise<boolean> {
  const result = await sql<{ open: boolean }>`
    SELECT EXISTS (
      SELECT FROM password_reset
      WHERE token_hash = ${tokenHash} AND used_at IS NULL AND expires_at > ${now} AND created_at <= ${latestStart(now)}
    ) AS open
  `.execute(db);
  return result.rows[0]?.open === true;
}

/** Consumes a token. Of several concurrent callers, one gets the user. */
export async function takeReset(tx: Tx, tokenHash: Buffer, now: Date): Promise<string | undefined> {
  const result = await sql<{ user_id: string }>`
    UPDATE password_reset SET used_at = ${now}
    WHERE token_hash = ${tokenHash} AND used_at IS NULL AND expires_at > ${now} AND created_at <= ${latestStart(now)}
    RETURNING user_id
  `.execute(tx);
  return result.rows[0]?.user_id;
}

/** When a link was last sent to the user. */
export async function selectLastReset(tx: Tx, userId: string): Promise<Date | undefined> {
  const result = await sql<{ created_at: Date }>`
    SELECT created_at FROM password_reset WHERE user_id = ${userId} ORDER BY created_at DESC LIMIT 1
  `.execute(tx);
  return result.rows[0]?.created_at;
}

/** Invalidates the user's password links. */
export async function deleteResets(tx: Tx, userId: string): Promise<void> {
  await sql`DELETE FROM password_reset WHERE user_id = ${userId}`.execute(tx);
}

/** Deletes the failed log-ins with these addresses, and the account's requests for a new one. */
export async function deleteAttempts(tx: Tx, userId: string, emails: readonly string[]): Promise<void> {
  await deleteFailures(tx, emails);
  await sql`DELETE FROM email_change_request WHERE user_id = ${userId}`.execute(tx);
}

export async function deleteFailures(tx: Tx, emails: readonly string[]): Promise<void> {
  await sql`DELETE FROM failed_login WHERE email = ANY (${emails}::text[])`.execute(tx);
}

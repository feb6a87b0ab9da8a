import { type RawBuilder, sql } from 'kysely';
import { type Executor, readRows, type Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';
import { prepare } from '../../platform/statements.ts';
import { type StopRow, stopRows } from '../accounts/service.ts';
import type { Trial } from '../accounts/trial.ts';
import { type User, userAndTrialRows } from '../accounts/users.ts';
import { accountRows, type UserAccountRow } from '../ledger/user-accounts.ts';
import { latestEnd, type Requester } from './rules.ts';

/** email_challenge, session, refresh_token, and known_device together with `device-tables.ts`. */

export type ChallengePurpose = 'sign-in' | 'verify-email' | 'change-email' | 'confirm' | 'console';

export interface ChallengeRow {
  readonly id: string;
  readonly code_hmac: Buffer;
  readonly attempts: number;
  readonly created_at: Date;
  readonly expires_at: Date;
}

/** Serialises work on one address, known or not, until the transaction ends. */
export async function lockAddress(tx: Tx, email: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`email:${email}`}, 0))`.execute(tx);
}

/** When codes were sent to a mailbox, newest first: those of this requester, and all that share its allowance. */
export async function selectChallengeTimes(
  tx: Tx,
  canonicalEmail: string,
  requester: Requester,
  since: Date,
): Promise<{ own: Date[]; shared: Date[] }> {
  const result = await sql<{ created_at: Date; own: boolean }>`
    SELECT created_at, requester = ${requester.key} AS own FROM email_challenge
    WHERE canonical_email = ${canonicalEmail} AND created_at > ${since}
      AND (requester = ${requester.key} OR (NOT ${requester.isKnown}::boolean AND NOT requester_known))
    ORDER BY created_at DESC
  `.execute(tx);
  const times = (rows: typeof result.rows) => rows.map((row) => row.created_at);
  return { own: times(result.rows.filter(({ own }) => own)), shared: times(result.rows) };
}

export async function insertChallenge(
  tx: Tx,
  challenge: {
    id: string;
    email: string;
    canonicalEmail: string;
    purpose: ChallengePurpose;
    requester: Requester;
    codeHmac: Buffer;
    createdAt: Date;
    expiresAt: Date;
  },
): Promise<void> {
  await sql`
    UPDATE email_challenge SET replaced_at = ${challenge.createdAt}
    WHERE email = ${challenge.email} AND purpose = ${challenge.purpose} AND requester = ${challenge.requester.key}
      AND used_at IS NULL AND replaced_at IS NULL
  `.execute(tx);
  await sql`
    INSERT INTO email_challenge
      (id, email, canonical_email, purpose, requester, requester_known, code_hmac, created_at, expires_at)
    VALUES (${challenge.id}, ${challenge.email}, ${challenge.canonicalEmail}, ${challenge.purpose}, ${challenge.requester.key},
      ${challenge.requester.isKnown}, ${challenge.codeHmac}, ${challenge.createdAt}, ${challenge.expiresAt})
  `.execute(tx);
}

/** Locks the codes that may still be compared, newest first: those of one requester, or all. */
export async function lockOpenChallenges(
  tx: Tx,
  email: string,
  purpose: ChallengePurpose,
  requester: string | 'any',
): Promise<ChallengeRow[]> {
  const result = await sql<ChallengeRow>`
    SELECT id, code_hmac, attempts, created_at, expires_at FROM email_challenge
    WHERE email = ${email} AND purpose = ${purpose} AND (${requester} = 'any' OR requester = ${requester})
      AND used_at IS NULL AND replaced_at IS NULL
    ORDER BY created_at DESC FOR UPDATE
  `.execute(tx);
  return result.rows;
}

/** Who asked for the newest code of an address for a purpose. */
export async function selectLastRequester(
  db: Executor,
  email: string,
  purpose: ChallengePurpose,
): Promise<Requester | undefined> {
  const { rows } = await sql<Requester>`
    SELECT requester AS key, requester_known AS "isKnown" FROM email_challenge
    WHERE email = ${email} AND purpose = ${purpose} ORDER BY created_at DESC LIMIT 1
  `.execute(db);
  return rows[0];
}

/** Wrong attempts at unused codes that unknown browsers asked for since an instant, on the whole site. */
export async function sumWrongCodes(db: Executor, since: Date): Promise<number> {
  const result = await sql<{ wrong: bigint }>`
    SELECT coalesce(sum(attempts), 0) AS wrong FROM email_challenge
    WHERE attempts > 0 AND NOT requester_known AND used_at IS NULL AND created_at > ${since}
  `.execute(db);
  return Number(result.rows[0]?.wrong ?? 0n);
}

/** Wrong attempts at the code that a requester was sent for signing in; undefined if none is open. */
export async function findAttempts(db: Executor, email: string, requester: string): Promise<number | undefined> {
  const result = await sql<{ attempts: number }>`
    SELECT attempts FROM email_challenge
    WHERE email = ${email} AND purpose = 'sign-in' AND requester = ${requester} AND used_at IS NULL AND replaced_at IS NULL
  `.execute(db);
  return result.rows[0]?.attempts;
}

export async function countTry(tx: Tx, id: string): Promise<void> {
  await sql`UPDATE email_challenge SET attempts = attempts + 1 WHERE id = ${id}`.execute(tx);
}

export async function markChallengeUsed(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`UPDATE email_challenge SET used_at = ${now} WHERE id = ${id}`.execute(tx);
}

/**
 * A session with its first refresh token, and the device that signs in. Returns whether the device is new to the account, and how
 * many the account had before.
 */
export async function insertSession(
  tx: Tx,
  session: NewSessionRow,
): Promise<{ isNew: boolean; devicesBefore: number }> {
  const [row] = await readRows(tx, newSession(session));
  return { isNew: row?.is_new === true, devicesBefore: Number(row?.before ?? 0n) };
}

interface NewSessionRow {
  readonly id: string;
  readonly userId: string;
  readonly now: Date;
  readonly expiresAt: Date;
  readonly method: string;
  readonly device: string;
  readonly deviceHash: Buffer;
  readonly tokenHash: Buffer;
}

// A row that an INSERT made, and no UPDATE, has no other transaction in xmax. No part of the statement sees rows of another.
const newSession = prepare<NewSessionRow, { is_new: boolean; before: bigint }>(
  ({ id, userId, now, expiresAt, method, device, deviceHash, tokenHash }) => sql`
    WITH device AS (
      INSERT INTO known_device (user_id, device_hash, first_seen_at, last_seen_at) VALUES (${userId}, ${deviceHash}, ${now}, ${now})
      ON CONFLICT (user_id, device_hash) DO UPDATE SET last_seen_at = excluded.last_seen_at RETURNING xmax = 0 AS is_new
    ), opened AS (
      INSERT INTO session (id, user_id, generation, created_at, last_used_at, expires_at, method, device)
      VALUES (${id}, ${userId}, 1, ${now}, ${now}, ${expiresAt}, ${method}, ${device})
    ), token AS (
      INSERT INTO refresh_token (token_hash, session_id, generation) VALUES (${tokenHash}, ${id}, 1)
    )
    SELECT device.is_new, (SELECT count(*) FROM known_device WHERE user_id = ${userId}) AS before FROM device
  `,
);

export interface LiveSessionRow {
  readonly id: string;
  readonly device: string;
  readonly method: 'code' | 'password' | 'google' | 'github' | 'passkey';
  readonly created_at: Date;
  readonly last_used_at: Date;
}

export async function selectLiveSessions(db: Executor, userId: string, now: Date): Promise<LiveSessionRow[]> {
  const result = await sql<LiveSessionRow>`
    SELECT id, device, method, created_at, last_used_at FROM session
    WHERE user_id = ${userId} AND ended_at IS NULL AND expires_at > ${now} AND expires_at < ${latestEnd(now)}
    ORDER BY last_used_at DESC
  `.execute(db);
  return result.rows;
}

/** The latest sign-ins of a user, ended sessions included. */
export async function selectSignIns(
  db: Executor,
  userId: string,
  limit: number,
): Promise<Pick<LiveSessionRow, 'id' | 'device' | 'created_at'>[]> {
  const result = await sql<
    Pick<LiveSessionRow, 'id' | 'device' | 'created_at'>
  >`SELECT * FROM ${signInsOf(userId, limit)} s ORDER BY s.created_at DESC`.execute(db);
  return result.rows;
}

/** Sign-ins before an instant, newest first; all of the last instant, so that the next page begins before it. */
export async function selectSignInsBefore(
  db: Executor,
  userId: string,
  before: Date,
  limit: number,
): Promise<{ id: string; device: string; method: string; created_at: Date }[]> {
  const { rows } = await sql<{ id: string; device: string; method: string; created_at: Date }>`
    SELECT id, device, method, created_at FROM session WHERE user_id = ${userId} AND created_at < ${before}
    ORDER BY created_at DESC FETCH FIRST ${limit} ROWS WITH TIES
  `.execute(db);
  return rows;
}

/** How many sessions of a user are open, and when one was last used. */
export async function selectOpenSessions(
  db: Executor,
  userId: string,
  now: Date,
): Promise<{ readonly count: number; readonly lastUsedAt: Date | null }> {
  const { rows } = await sql<{ count: number; lastUsedAt: Date | null }>`
    SELECT count(*) FILTER (WHERE ended_at IS NULL AND expires_at > ${now})::integer AS count, max(last_used_at) AS "lastUsedAt"
    FROM session WHERE user_id = ${userId}
  `.execute(db);
  return rows[0] ?? { count: 0, lastUsedAt: null };
}

/** The same as `selectSignIns`, for the SQL of another module. */
export function signInsOf(userId: string, limit: number): RawBuilder<unknown> {
  return sql`(
    SELECT id, device, created_at FROM session WHERE user_id = ${userId} ORDER BY created_at DESC LIMIT ${limit})`;
}

/** Ends a user's sessions, all or all but one; returns which. */
export async function endSessionsOf(
  tx: Tx,
  userId: string,
  except: string | null,
  reason: string,
  now: Date,
): Promise<string[]> {
  const result = await sql<{ id: string }>`
    UPDATE session SET ended_at = ${now}, end_reason = ${reason}
    WHERE user_id = ${userId} AND ended_at IS NULL AND id IS DISTINCT FROM ${except} RETURNING id
  `.execute(tx);
  return result.rows.map((row) => row.id);
}

export async function endSessionOf(tx: Tx, userId: string, id: string, reason: string, now: Date): Promise<boolean> {
  const result = await sql`
    UPDATE session SET ended_at = ${now}, end_reason = ${reason}
    WHERE id = ${id} AND user_id = ${userId} AND ended_at IS NULL RETURNING id
  `.execute(tx);
  return result.rows.length === 1;
}

export async function insertRefreshToken(
  tx: Tx,
  token: { hash: Buffer; sessionId: string; generation: number },
): Promise<void> {
  await sql`
    INSERT INTO refresh_token (token_hash, session_id, generation) VALUES (${token.hash}, ${token.sessionId}, ${token.generation})
  `.execute(tx);
}

export interface RefreshTokenRow {
  readonly session_id: string;
  readonly token_generation: number;
  readonly rotated_at: Date | null;
  readonly replacement_sealed: string | null;
  readonly user_id: string;
  readonly generation: number;
  readonly expires_at: Date;
  readonly ended_at: Date | null;
}

/** Locks the token and its session, so that two uses of one token are handled one after the other. */
export async function lockRefreshToken(tx: Tx, hash: Buffer): Promise<RefreshTokenRow | undefined> {
  const result = await sql<RefreshTokenRow>`
    SELECT r.session_id, r.generation AS token_generation, r.rotated_at, r.replacement_sealed,
           s.user_id, s.generation, s.expires_at, s.ended_at
    FROM refresh_token r JOIN session s ON s.id = r.session_id
    WHERE r.token_hash = ${hash} FOR UPDATE
  `.execute(tx);
  return result.rows[0];
}

export async function rotateToken(
  tx: Tx,
  rotation: { oldHash: Buffer; newHash: Buffer; sessionId: string; generation: number; sealed: string; now: Date },
): Promise<void> {
  await sql`
    UPDATE refresh_token SET rotated_at = ${rotation.now}, replacement_sealed = ${rotation.sealed} WHERE token_hash = ${rotation.oldHash}
  `.execute(tx);
  await insertRefreshToken(tx, {
    hash: rotation.newHash,
    sessionId: rotation.sessionId,
    generation: rotation.generation,
  });
  // Only the current token and the one before it matter; older ones stay as hashes, so that their reuse is recognised.
  await sql`
    UPDATE refresh_token SET replacement_sealed = NULL
    WHERE session_id = ${rotation.sessionId} AND generation < ${rotation.generation - 1} AND replacement_sealed IS NOT NULL
  `.execute(tx);
  await sql`
    UPDATE session SET generation = ${rotation.generation}, last_used_at = ${rotation.now} WHERE id = ${rotation.sessionId}
  `.execute(tx);
}

/** Who an open session belongs to, with the trial, the latest stop and the balances: all that most calls need to know of a user. */
export type SignedInRow = User &
  UserAccountRow &
  StopRow & {
    readonly session_expires_at: Date;
    readonly last_day: Date | null;
    readonly limit_bytes: bigint | null;
    readonly used_bytes: bigint | null;
    readonly ended_at: Date | null;
    readonly end_reason: Trial['end_reason'];
  };

/** The user of a session that was not ended. `isSessionAlive` says whether it has expired. */
export const signedIn = prepare<{ sessionId: string }, SignedInRow>(
  ({ sessionId }) => sql`
    SELECT u.*, s.expires_at AS session_expires_at, a.user_id, a.wallet_id, a.wallet, a.lease,
      p.cause, p.stopped_at, p.restored_at, p.opened_at
    FROM session s JOIN ${userAndTrialRows} u ON u.id = s.user_id JOIN ${accountRows} a ON a.user_id = s.user_id
    LEFT JOIN ${stopRows} p ON p.stop_user_id = s.user_id
    WHERE s.id = ${sessionId} AND s.ended_at IS NULL
  `,
);

export async function selectLiveSessionIds(db: Executor, ids: readonly string[], now: Date): Promise<string[]> {
  const result = await sql<{ id: string }>`
    SELECT id FROM session WHERE id = ANY (${ids}::uuid[])
      AND ended_at IS NULL AND expires_at > ${now} AND expires_at < ${latestEnd(now)}
  `.execute(db);
  return result.rows.map((row) => row.id);
}

export async function deleteOldChallenges(db: Executor, before: Date): Promise<void> {
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM email_challenge WHERE ctid IN (SELECT ctid FROM email_challenge WHERE created_at < ${before} LIMIT ${limit})`,
  );
}

/** Deletes sessions that ended or expired before. */
export async function deleteOldSessions(db: Executor, before: Date): Promise<void> {
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM session WHERE ctid IN (SELECT ctid FROM session WHERE coalesce(ended_at, expires_at) < ${before} LIMIT ${limit})`,
  );
}

/** Deletes browsers that have not signed in since. */
export async function deleteOldDevices(db: Executor, before: Date): Promise<void> {
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM known_device WHERE ctid IN (SELECT ctid FROM known_device WHERE last_seen_at < ${before} LIMIT ${limit})`,
  );
}

/** Deletes the sessions, devices and codes of a deleted user; refresh tokens go with their sessions. */
export async function deleteTraces(tx: Tx, userId: string, emails: readonly string[]): Promise<void> {
  await sql`DELETE FROM session WHERE user_id = ${userId}`.execute(tx);
  await sql`DELETE FROM known_device WHERE user_id = ${userId}`.execute(tx);
  await deleteChallenges(tx, emails);
}

/** Deletes the codes that were sent to addresses. */
export async function deleteChallenges(tx: Tx, emails: readonly string[]): Promise<void> {
  await sql`DELETE FROM email_challenge WHERE email = ANY (${emails}::text[])`.execute(tx);
}

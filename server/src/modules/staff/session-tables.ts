import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { StaffRole } from '@raha/contract/admin/roles.ts';
import { sql } from 'kysely';
import { addSeconds } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';
import { userRows } from '../accounts/users.ts';
import { latestStart } from '../sessions/rules.ts';

/** The only file that names staff_session and staff_sign_in. Both are read with the member, who may be disabled by now. */

export interface SignInRow {
  readonly user_id: string;
  readonly enrol_until: Date;
  readonly expires_at: Date;
}

export interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly role: StaffRole;
  readonly last_used_at: Date;
  readonly proved_at: Date;
  readonly expires_at: Date;
}

/** A member who may work now: not disabled, and the account is neither suspended nor closed. */
const working = sql`m.disabled_at IS NULL AND u.status IN ('active', 'incomplete')`;

export async function insertSignIn(
  tx: Tx,
  row: { readonly tokenHash: Buffer; readonly userId: string; readonly expiresAt: Date },
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO staff_sign_in (token_hash, user_id, created_at, expires_at)
    VALUES (${row.tokenHash}, ${row.userId}, ${now}, ${row.expiresAt})
  `.execute(tx);
}

export async function selectSignIn(db: Executor, tokenHash: Buffer, now: Date): Promise<SignInRow | undefined> {
  const result = await sql<SignInRow>`
    SELECT s.user_id, m.enrol_until, s.expires_at
    FROM staff_sign_in s JOIN staff_member m ON m.user_id = s.user_id JOIN ${userRows} u ON u.id = s.user_id
    WHERE s.token_hash = ${tokenHash} AND s.expires_at > ${now} AND s.created_at <= ${latestStart(now)} AND ${working}
  `.execute(db);
  return result.rows[0];
}

/** Of several concurrent callers, one gets true. */
export async function takeSignIn(tx: Tx, tokenHash: Buffer, now: Date): Promise<boolean> {
  const result = await sql`
    DELETE FROM staff_sign_in WHERE token_hash = ${tokenHash} AND expires_at > ${now}
  `.execute(tx);
  return result.numAffectedRows === 1n;
}

export async function insertSession(
  tx: Tx,
  session: { readonly id: string; readonly tokenHash: Buffer; readonly userId: string },
  now: Date,
): Promise<void> {
  const expiresAt = addSeconds(now, staffLimits.session.hours * 3600);
  await sql`
    INSERT INTO staff_session (id, token_hash, user_id, created_at, last_used_at, proved_at, expires_at)
    VALUES (${session.id}, ${session.tokenHash}, ${session.userId}, ${now}, ${now}, ${now}, ${expiresAt})
  `.execute(tx);
}

export async function selectSession(db: Executor, tokenHash: Buffer, now: Date): Promise<SessionRow | undefined> {
  const result = await sql<SessionRow>`
    SELECT s.id, s.user_id, u.email, m.role, s.last_used_at, s.proved_at, s.expires_at
    FROM staff_session s JOIN staff_member m ON m.user_id = s.user_id JOIN ${userRows} u ON u.id = s.user_id
    WHERE s.token_hash = ${tokenHash} AND s.expires_at > ${now} AND s.last_used_at > ${idleSince(now)}
      AND s.created_at <= ${latestStart(now)} AND ${working}
  `.execute(db);
  return result.rows[0];
}

export async function updateUsed(db: Executor, id: string, now: Date): Promise<void> {
  await sql`UPDATE staff_session SET last_used_at = ${now} WHERE id = ${id}`.execute(db);
}

/** False if the session ended meanwhile. */
export async function updateProved(db: Executor, id: string, now: Date): Promise<boolean> {
  const result = await sql`
    UPDATE staff_session SET proved_at = ${now}, last_used_at = ${now} WHERE id = ${id}
  `.execute(db);
  return result.numAffectedRows === 1n;
}

/** A member's sessions that still open the console, newest first. */
export async function selectOpenSessions(
  db: Executor,
  userId: string,
  now: Date,
): Promise<(Pick<SessionRow, 'id' | 'last_used_at'> & { readonly created_at: Date })[]> {
  const result = await sql<{ id: string; created_at: Date; last_used_at: Date }>`
    SELECT id, created_at, last_used_at FROM staff_session
    WHERE user_id = ${userId} AND expires_at > ${now} AND last_used_at > ${idleSince(now)} AND created_at <= ${latestStart(now)}
    ORDER BY created_at DESC, id
  `.execute(db);
  return result.rows;
}

export async function deleteOtherSessions(db: Executor, userId: string, keptId: string): Promise<void> {
  await sql`DELETE FROM staff_session WHERE user_id = ${userId} AND id <> ${keptId}`.execute(db);
}

export async function deleteSession(db: Executor, id: string): Promise<void> {
  await sql`DELETE FROM staff_session WHERE id = ${id}`.execute(db);
}

/** All sessions of a member, and sign-ins that wait for a factor. */
export async function deleteSessionsOf(tx: Tx, userId: string): Promise<void> {
  await sql`DELETE FROM staff_sign_in WHERE user_id = ${userId}`.execute(tx);
  await sql`DELETE FROM staff_session WHERE user_id = ${userId}`.execute(tx);
}

export async function deleteOldSessions(db: Executor, now: Date): Promise<void> {
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM staff_session WHERE ctid IN (SELECT ctid FROM staff_session WHERE expires_at < ${now} LIMIT ${limit})`,
  );
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM staff_sign_in WHERE ctid IN (SELECT ctid FROM staff_sign_in WHERE expires_at < ${now} LIMIT ${limit})`,
  );
}

function idleSince(now: Date): Date {
  return addSeconds(now, -staffLimits.session.idleMinutes * 60);
}

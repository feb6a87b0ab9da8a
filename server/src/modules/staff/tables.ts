import type { StaffRole } from '@raha/contract/admin/roles.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { userRows } from '../accounts/users.ts';

/** The only file that names staff_member. */

export interface MemberRow {
  readonly user_id: string;
  readonly role: StaffRole;
  readonly added_at: Date;
  readonly enrol_until: Date;
  readonly disabled_at: Date | null;
}

const columns = sql`user_id, role, added_at, enrol_until, disabled_at`;

/** One change of staff at a time, so that the number of super admins and what the actor may do stay true. */
export async function lockStaff(tx: Tx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('staff_member'))`.execute(tx);
}

export async function selectMembers(db: Executor): Promise<MemberRow[]> {
  return (await sql<MemberRow>`SELECT ${columns} FROM staff_member ORDER BY added_at, user_id`.execute(db)).rows;
}

export async function selectMember(db: Executor, userId: string): Promise<MemberRow | undefined> {
  return (await sql<MemberRow>`SELECT ${columns} FROM staff_member WHERE user_id = ${userId}`.execute(db)).rows[0];
}

/** The active member with an address, whose account is open. */
export async function selectMemberByEmail(db: Executor, email: string): Promise<MemberRow | undefined> {
  const result = await sql<MemberRow>`
    SELECT m.user_id, m.role, m.added_at, m.enrol_until, m.disabled_at
    FROM staff_member m JOIN ${userRows} u ON u.id = m.user_id
    WHERE u.email = ${email} AND u.status IN ('active', 'incomplete') AND m.disabled_at IS NULL
  `.execute(db);
  return result.rows[0];
}

/** An active member, who cannot be disabled before the transaction ends. */
export async function holdMember(tx: Tx, userId: string): Promise<MemberRow | undefined> {
  const result = await sql<MemberRow>`
    SELECT ${columns} FROM staff_member WHERE user_id = ${userId} AND disabled_at IS NULL FOR SHARE
  `.execute(tx);
  return result.rows[0];
}

/** Adds a member, or one again who was disabled. */
export async function putMember(
  tx: Tx,
  member: { readonly userId: string; readonly role: StaffRole; readonly enrolUntil: Date },
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO staff_member (user_id, role, added_at, enrol_until)
    VALUES (${member.userId}, ${member.role}, ${now}, ${member.enrolUntil})
    ON CONFLICT (user_id) DO UPDATE SET role = excluded.role, added_at = excluded.added_at,
      enrol_until = excluded.enrol_until, disabled_at = NULL
  `.execute(tx);
}

export async function updateDisabled(tx: Tx, userId: string, now: Date): Promise<void> {
  await sql`UPDATE staff_member SET disabled_at = ${now} WHERE user_id = ${userId} AND disabled_at IS NULL`.execute(tx);
}

export async function updateEnrolUntil(tx: Tx, userId: string, until: Date): Promise<void> {
  await sql`UPDATE staff_member SET enrol_until = ${until} WHERE user_id = ${userId}`.execute(tx);
}

import type { StaffRole } from '@raha/contract/admin/roles.ts';
import type { Executor } from '../../platform/database.ts';
import { findByEmail, getUsers } from '../accounts/users.ts';
import { selectMember, selectMembers } from './tables.ts';

export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly role: StaffRole;
  readonly isActive: boolean;
  readonly addedAt: Date;
}

/** Everybody who works or worked here, in the order in which they came. */
export async function listMembers(db: Executor): Promise<Member[]> {
  const rows = await selectMembers(db);
  const users = await getUsers(
    db,
    rows.map(({ user_id }) => user_id),
  );
  return rows.map(({ user_id, role, added_at, disabled_at }) => ({
    userId: user_id,
    email: users.get(user_id)?.email ?? '',
    role,
    isActive: disabled_at === null,
    addedAt: added_at,
  }));
}

/** The id of the member with this address, active or not. */
export async function findMemberByEmail(db: Executor, email: string): Promise<string | undefined> {
  const user = await findByEmail(db, email);
  return user && (await selectMember(db, user.id))?.user_id;
}

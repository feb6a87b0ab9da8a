import type { Role } from '@raha/contract/accounts.ts';
import { isPermitted, mayGrant, type Permission, type StaffRole } from '@raha/contract/admin/roles.ts';
import type { Actor, StaffActor } from '../../platform/audit.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { listMembers } from './list-members.ts';
import { holdMember, selectMember } from './tables.ts';

/**
 * Begins a change of staff: the others wait until it ends. The machine may grant every role. Refuses `forbidden` to a member
 * who was disabled meanwhile, `staff_self` and `staff_beyond`.
 */
export async function refuseBeyond(
  tx: Tx,
  actor: Actor,
  about: { readonly userId: string; readonly role: StaffRole },
): Promise<void> {
  if (actor.kind === 'command-line') return;
  const own = await selectMember(tx, actor.userId);
  if (!own || own.disabled_at) throw new Refusal('forbidden');
  if (about.userId === actor.userId) throw new Refusal('staff_self');
  if (!mayGrant(own.role, about.role)) throw new Refusal('staff_beyond');
}

/**
 * Until the transaction ends the member works here with this permission: disabling them waits. Refuses `forbidden`, which a
 * call that was let in meets when the member was disabled meanwhile.
 */
export async function holdPermission(tx: Tx, { userId }: StaffActor, permission: Permission): Promise<void> {
  const member = await holdMember(tx, userId);
  if (!member || !isPermitted(member.role, permission)) throw new Refusal('forbidden');
}

/** Whether the member has it now, which somebody may take away at any moment. */
export async function hasPermission(db: Executor, { userId }: StaffActor, permission: Permission): Promise<boolean> {
  const member = await selectMember(db, userId);
  return member !== undefined && !member.disabled_at && isPermitted(member.role, permission);
}

/** Whether another active member has the permission. */
export async function isOtherWith(
  db: Executor,
  { userId }: Pick<StaffActor, 'userId'>,
  permission: Permission,
): Promise<boolean> {
  const members = await listMembers(db);
  return members.some((other) => other.isActive && other.userId !== userId && isPermitted(other.role, permission));
}

/** The word of the account for a role: what the panel shows, and by which the account of a super admin stays. */
export function accountRoleOf(role: StaffRole): Role {
  return role === 'super_admin' ? 'super_admin' : 'admin';
}

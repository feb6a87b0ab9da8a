import type { Role } from '@raha/contract/accounts.ts';
import { mayGrant, type StaffRole } from '@raha/contract/admin/roles.ts';
import type { Actor } from '../../platform/audit.ts';
import type { Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { selectMember } from './tables.ts';

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

/** The word of the account for a role: what the panel shows, and by which the account of a super admin stays. */
export function accountRoleOf(role: StaffRole): Role {
  return role === 'super_admin' ? 'super_admin' : 'admin';
}

import type { Permission } from '@raha/contract/admin/roles.ts';
import type { Actor } from '../../platform/audit.ts';
import type { Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { holdPermission } from '../staff/standing.ts';

/** A member moves money of others only, and only while they work here. Refuses `staff_own_account` and `forbidden`. */
export async function refuseMember(tx: Tx, actor: Actor, userId: string, permission: Permission): Promise<void> {
  if (actor.kind !== 'staff') return;
  if (actor.userId === userId) throw new Refusal('staff_own_account');
  await holdPermission(tx, actor, permission);
}

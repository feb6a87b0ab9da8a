import type { Actor, Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { lockUser, setRole } from '../accounts/users.ts';
import { deleteSessionsOf } from './session-tables.ts';
import { refuseBeyond } from './standing.ts';
import { lockStaff, selectMember, selectMembers, updateDisabled } from './tables.ts';
import { updateRevokedOf } from './token-tables.ts';

/**
 * Takes a member's access away at once: their sessions and tokens end with it. The account stays, as anybody's. Refuses `not_found`, `staff_disabled`, `staff_last`
 * and what `refuseBeyond` refuses.
 */
export async function disableMember(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
  { actor, userId, reason }: { readonly actor: Actor; readonly userId: string; readonly reason?: string | undefined },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockStaff(tx);
    const member = await selectMember(tx, userId);
    if (!member) throw new Refusal('not_found');
    if (member.disabled_at) throw new Refusal('staff_disabled');
    await refuseBeyond(tx, actor, { userId, role: member.role });
    const supers = (await selectMembers(tx)).filter(({ role, disabled_at }) => role === 'super_admin' && !disabled_at);
    if (member.role === 'super_admin' && supers.length === 1) throw new Refusal('staff_last');
    await lockUser(tx, userId);
    await updateDisabled(tx, userId, deps.clock.now());
    await deleteSessionsOf(tx, userId);
    await updateRevokedOf(tx, userId, deps.clock.now());
    await setRole(tx, userId, 'user');
    await deps.audit.record(tx, actor, {
      action: 'staff.disable',
      target: { kind: 'staff', id: userId },
      reason,
      details: { role: member.role },
    });
  });
}

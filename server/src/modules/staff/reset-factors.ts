import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import { addSeconds } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { lockUser } from '../accounts/users.ts';
import { forgetFactors } from '../factors/forget.ts';
import { listFactors } from '../factors/list-factors.ts';
import { type FactorDeps, notifyChange } from '../factors/notify-change.ts';
import { deleteSessionsOf } from './session-tables.ts';
import { refuseBeyond } from './standing.ts';
import { lockStaff, selectMember, updateEnrolUntil } from './tables.ts';

/**
 * Removes the factors of a member who lost them, ends their sessions, and lets them set up a new one when they sign in. They are notified and mailed
 * if there were any. Refuses `not_found`, `staff_disabled` and what `refuseBeyond` refuses.
 */
export async function resetFactors(
  deps: Omit<FactorDeps, 'vault'> & { readonly audit: Audit },
  { actor, userId }: { readonly actor: Actor; readonly userId: string },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockStaff(tx);
    const member = await selectMember(tx, userId);
    if (!member) throw new Refusal('not_found');
    if (member.disabled_at) throw new Refusal('staff_disabled');
    await refuseBeyond(tx, actor, { userId, role: member.role });
    const user = await lockUser(tx, userId);
    const { passkeys, totp } = await listFactors(tx, deps.publicUrl, userId);
    const now = deps.clock.now();
    await forgetFactors(tx, userId);
    await deleteSessionsOf(tx, userId);
    await updateEnrolUntil(tx, userId, addSeconds(now, staffLimits.enrolHours * 3600));
    if (passkeys.length > 0 || totp) await notifyChange(tx, deps, user, 'removed_by_operator');
    await deps.audit.record(tx, actor, {
      action: 'staff.reset-factors',
      target: { kind: 'staff', id: userId },
      details: { passkeys: passkeys.length, app: totp !== null },
    });
  });
}

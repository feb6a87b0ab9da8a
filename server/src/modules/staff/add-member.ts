import { staffLimits } from '@raha/contract/admin/limits.ts';
import { type StaffRole, unnamedMember } from '@raha/contract/admin/roles.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { findOrOpenAccount, setRole, type User } from '../accounts/users.ts';
import { openUserAccounts } from '../ledger/user-accounts.ts';
import { accountRoleOf, refuseBeyond } from './standing.ts';
import { lockStaff, type MemberRow, putMember, selectMember, selectMembers } from './tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

/**
 * Makes somebody a member of staff, with an account if they have none. Refuses `staff_exists`, `staff_closed`,
 * `staff_unproved` (somebody else may have registered the address) and what `refuseBeyond` refuses.
 */
export async function addMember(
  deps: Deps,
  { actor, email, role }: { readonly actor: Actor; readonly email: string; readonly role: StaffRole },
): Promise<{ readonly userId: string }> {
  return await inTransaction(deps.db, async (tx) => {
    await lockStaff(tx);
    const user = await openAccount(tx, deps, email);
    const before = await selectMember(tx, user.id);
    if (before && !before.disabled_at) throw new Refusal('staff_exists');
    await refuseBeyond(tx, actor, { userId: user.id, role });
    await appoint(tx, deps, { actor, user, role, before });
    return { userId: user.id };
  });
}

/** Makes the owner of an address the first super admin. False if there is staff already, or was once. */
export async function appointFirst(
  deps: Deps,
  { actor, email }: { readonly actor: Actor; readonly email: string },
): Promise<boolean> {
  return await inTransaction(deps.db, async (tx) => {
    await lockStaff(tx);
    if ((await selectMembers(tx)).length > 0) return false;
    const user = await openAccount(tx, deps, email);
    await appoint(tx, deps, { actor, user, role: 'super_admin', before: undefined });
    return true;
  });
}

async function openAccount(tx: Tx, { clock }: Deps, email: string): Promise<User> {
  const now = clock.now();
  const { user, created } = await findOrOpenAccount(tx, { email, name: unnamedMember }, now);
  if (created) await openUserAccounts(tx, user.id, now);
  if (user.status !== 'active' && user.status !== 'incomplete') throw new Refusal('staff_closed');
  if (!user.email_verified_at) throw new Refusal('staff_unproved');
  return user;
}

async function appoint(
  tx: Tx,
  deps: Deps,
  {
    actor,
    user,
    role,
    before,
  }: {
    readonly actor: Actor;
    readonly user: User;
    readonly role: StaffRole;
    readonly before: MemberRow | undefined;
  },
): Promise<void> {
  const now = deps.clock.now();
  const enrolUntil = addSeconds(now, staffLimits.enrolHours * 3600);
  await putMember(tx, { userId: user.id, role, enrolUntil }, now);
  await setRole(tx, user.id, accountRoleOf(role));
  await deps.audit.record(tx, actor, {
    action: 'staff.add',
    target: { kind: 'staff', id: user.id },
    changed: { role: [before ? `${before.role}, disabled` : null, role] },
  });
}

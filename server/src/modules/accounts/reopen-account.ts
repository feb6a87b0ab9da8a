import type { Actor, Audit, AuditAction } from '../../platform/audit.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { OperatorMistake } from './operator-mistake.ts';
import { selectUserByEmailForUpdate, selectUserForUpdate, type UserRow, updateStatus } from './tables.ts';

type Given = Pick<AuditAction, 'reason' | 'details'> & { readonly actor: Actor };

/** Opens a deactivated or suspended account again. Its configs stay off until they are connected. */
export async function reopenAccount(
  deps: { readonly db: Database; readonly audit: Audit },
  { actor, email }: { readonly actor: Actor; readonly email: string },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const user = await selectUserByEmailForUpdate(tx, email);
    await reopen(tx, deps, user, email, { actor });
  });
}

/** The same in the caller's transaction. */
export async function reopenInside(
  tx: Tx,
  deps: { readonly audit: Audit },
  { userId, ...given }: Given & { readonly userId: string },
): Promise<void> {
  await reopen(tx, deps, await selectUserForUpdate(tx, userId), userId, given);
}

async function reopen(
  tx: Tx,
  { audit }: { readonly audit: Audit },
  user: UserRow | undefined,
  asked: string,
  { actor, reason, details = {} }: Given,
): Promise<void> {
  if (user?.status !== 'deactivated' && user?.status !== 'suspended')
    throw new OperatorMistake('not-found', `No deactivated or suspended account has the address ${asked}.`);
  await updateStatus(tx, user.id, user.profile_completed ? 'active' : 'incomplete');
  const target = { kind: 'user', id: user.id } as const;
  await audit.record(tx, actor, { action: 'accounts.reopen', target, reason, details });
}

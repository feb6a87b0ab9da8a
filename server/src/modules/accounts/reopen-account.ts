import type { Actor, Audit } from '../../platform/audit.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { OperatorMistake } from './operator-mistake.ts';
import { selectUserByEmailForUpdate, updateStatus } from './tables.ts';

/** Opens a deactivated or suspended account again. Its configs stay off until they are connected. */
export async function reopenAccount(
  deps: { readonly db: Database; readonly audit: Audit },
  { actor, email }: { readonly actor: Actor; readonly email: string },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const user = await selectUserByEmailForUpdate(tx, email);
    if (user?.status !== 'deactivated' && user?.status !== 'suspended')
      throw new OperatorMistake('not-found', `No deactivated or suspended account has the address ${email}.`);
    await updateStatus(tx, user.id, user.profile_completed ? 'active' : 'incomplete');
    const target = { kind: 'user', id: user.id } as const;
    await deps.audit.record(tx, actor, { action: 'accounts.reopen', target });
  });
}

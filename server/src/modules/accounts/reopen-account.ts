import { type Database, inTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { type Actor, logAction } from './actor.ts';
import { OperatorMistake } from './operator-mistake.ts';
import { selectUserByEmailForUpdate, updateStatus } from './tables.ts';

/** Opens a deactivated or suspended account again. Its configs stay off until they are connected. */
export async function reopenAccount(
  deps: { readonly db: Database; readonly log: Log },
  { actor, email }: { readonly actor: Actor; readonly email: string },
): Promise<void> {
  const userId = await inTransaction(deps.db, async (tx) => {
    const user = await selectUserByEmailForUpdate(tx, email);
    if (user?.status !== 'deactivated' && user?.status !== 'suspended')
      throw new OperatorMistake('not-found', `No deactivated or suspended account has the address ${email}.`);
    await updateStatus(tx, user.id, user.profile_completed ? 'active' : 'incomplete');
    return user.id;
  });
  logAction(deps, actor, 'accounts.reopen', { userId });
}

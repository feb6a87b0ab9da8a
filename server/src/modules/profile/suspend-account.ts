import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { suspendUser } from '../accounts/users.ts';
import { blockConfigs } from '../configs/close-configs.ts';
import { endSessions } from '../sessions/end-sessions.ts';

/**
 * Nodes refuse the account's configs, every session ends, and signing in is refused with an explanation until the account
 * is reopened. The money remains its owner's.
 */
export async function suspendAccount(
  deps: { readonly db: Database; readonly clock: Clock; readonly bus: Bus; readonly log: Log },
  { actor, email }: { readonly actor: Actor; readonly email: string },
): Promise<void> {
  const userId = await inTransaction(deps.db, async (tx) => {
    const user = await suspendUser(tx, email);
    if (!user) throw new OperatorMistake('not-found', `No account that can be suspended has the address ${email}.`);
    await blockConfigs(tx, deps, user.id);
    await endSessions(tx, deps, user.id, null, 'the account was suspended');
    return user.id;
  });
  logAction(deps, actor, 'accounts.suspend', { userId });
}

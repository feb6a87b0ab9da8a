import type { Actor, Audit } from '../../platform/audit.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { suspendUser } from '../accounts/users.ts';
import { blockConfigs } from '../configs/close-configs.ts';
import { endSessions } from '../sessions/end-sessions.ts';

/**
 * Nodes refuse the account's configs, every session ends, and signing in is refused with an explanation until the account
 * is reopened. The money remains its owner's.
 */
export async function suspendAccount(
  deps: { readonly db: Database; readonly clock: Clock; readonly bus: Bus; readonly audit: Audit },
  { actor, email }: { readonly actor: Actor; readonly email: string },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const user = await suspendUser(tx, email);
    if (!user) throw new OperatorMistake('not-found', `No account that can be suspended has the address ${email}.`);
    await blockConfigs(tx, deps, user.id);
    await endSessions(tx, deps, user.id, null, 'the account was suspended');
    const target = { kind: 'user', id: user.id } as const;
    await deps.audit.record(tx, actor, { action: 'accounts.suspend', target });
  });
}

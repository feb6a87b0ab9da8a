import type { Actor, Audit, AuditAction } from '../../platform/audit.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { getUser, suspendUser } from '../accounts/users.ts';
import { blockConfigs } from '../configs/close-configs.ts';
import { endSessions } from '../sessions/end-sessions.ts';

interface Deps {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly audit: Audit;
}

type Given = Pick<AuditAction, 'reason' | 'details'> & { readonly actor: Actor };

/**
 * Nodes refuse the account's configs, every session ends, and signing in is refused with an explanation until the account
 * is reopened. The money remains its owner's.
 */
export async function suspendAccount(
  deps: Deps & { readonly db: Database },
  { actor, email }: { readonly actor: Actor; readonly email: string },
): Promise<void> {
  await inTransaction(deps.db, (tx) => suspend(tx, deps, { actor, email }));
}

/** The same in the caller's transaction. */
export async function suspendInside(
  tx: Tx,
  deps: Deps,
  { userId, ...given }: Given & { readonly userId: string },
): Promise<void> {
  const { email } = await getUser(tx, userId);
  await suspend(tx, deps, { ...given, email });
}

async function suspend(tx: Tx, deps: Deps, given: Given & { readonly email: string }): Promise<void> {
  const { actor, email, reason, details = {} } = given;
  const user = await suspendUser(tx, email);
  if (!user) throw new OperatorMistake('not-found', `No account that can be suspended has the address ${email}.`);
  await blockConfigs(tx, deps, user.id);
  await endSessions(tx, deps, user.id, null, 'the account was suspended');
  const target = { kind: 'user', id: user.id } as const;
  await deps.audit.record(tx, actor, { action: 'accounts.suspend', target, reason, details });
}

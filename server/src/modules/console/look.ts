import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { findUser, type User } from '../accounts/users.ts';
import { listEntries } from '../audit/audit.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

/**
 * A member looks at a user's account. The audit keeps it, and the user sees it; looks of the same member within an hour are
 * one. Refuses `not_found`.
 */
export async function lookAt(
  deps: Deps,
  { actor, userId }: { readonly actor: Actor; readonly userId: string },
): Promise<User> {
  const user = await findUser(deps.db, userId);
  if (!user) throw new Refusal('not_found');
  const look = { action: 'accounts.look', target: { kind: 'user', id: userId } } as const;
  const who = actor.kind === 'staff' ? actor.userId : actor.systemUser;
  const [last] = await listEntries(deps.db, { ...look, actor: who }, 1);
  const since = addSeconds(deps.clock.now(), -staffLimits.lookMinutes * 60);
  if (last === undefined || last.at <= since) await inTransaction(deps.db, (tx) => deps.audit.record(tx, actor, look));
  return user;
}

/** The whole address and number of a user, for a reason that the audit keeps; the user sees that it was shown. Refuses `not_found`. */
export async function showContact(
  deps: Deps,
  { actor, userId, reason }: { readonly actor: Actor; readonly userId: string; readonly reason: string },
): Promise<Pick<User, 'email' | 'phone'>> {
  return await inTransaction(deps.db, async (tx) => {
    const user = await findUser(tx, userId);
    if (!user || user.status === 'deleted') throw new Refusal('not_found');
    const target = { kind: 'user', id: userId } as const;
    await deps.audit.record(tx, actor, { action: 'accounts.show-contact', target, reason });
    return { email: user.email, phone: user.phone };
  });
}

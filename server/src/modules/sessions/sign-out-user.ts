import type { Actor, Audit, AuditAction } from '../../platform/audit.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database.ts';
import { endSessions } from './end-sessions.ts';

/** An operator signs a user out everywhere, in the caller's transaction; the caller has locked the user. */
export async function signOutInside(
  tx: Tx,
  deps: { readonly clock: Clock; readonly bus: Bus; readonly audit: Audit },
  order: Pick<AuditAction, 'reason' | 'details'> & { readonly actor: Actor; readonly userId: string },
): Promise<void> {
  const { actor, userId, reason, details = {} } = order;
  await endSessions(tx, deps, userId, null, 'support ended them');
  const target = { kind: 'user', id: userId } as const;
  await deps.audit.record(tx, actor, { action: 'accounts.end-sessions', target, reason, details });
}

import { staffLimits } from '@raha/contract/admin/limits.ts';
import { isPermitted } from '@raha/contract/admin/roles.ts';
import type { TokenLine, TokenScope } from '@raha/contract/admin/tokens.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import { addDays, type Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction } from '../../platform/database.ts';
import { newId, newSecret } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hashToken } from '../sessions/tokens.ts';
import { listMembers } from './list-members.ts';
import { holdPermission } from './standing.ts';
import { holdMember } from './tables.ts';
import { insertToken, lockToken, selectTokens, updateRevoked } from './token-tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** By which a token is told from a session, and found by scanners of leaked secrets. */
export const TOKEN_MARK = 'raha_';

/**
 * Makes a token that acts in a member's name, and returns it; only its hash is kept. Refuses `forbidden` (the member works here no
 * longer, or the maker may not) and `token_scopes` (more than the member may do).
 */
export async function createToken(
  deps: Deps,
  order: {
    readonly actor: Actor;
    readonly userId: string;
    readonly name: string;
    readonly scopes: readonly TokenScope[];
    readonly days: number;
  },
): Promise<{ readonly id: string; readonly token: string }> {
  const { actor, userId, name, days } = order;
  const scopes = [...new Set(order.scopes)].sort();
  const now = deps.clock.now();
  const [id, token] = [newId(now), TOKEN_MARK + newSecret()];
  await inTransaction(deps.db, async (tx) => {
    if (actor.kind === 'staff') await holdPermission(tx, actor, 'tokens.manage');
    const member = await holdMember(tx, userId);
    if (!member) throw new Refusal('forbidden');
    if (!scopes.every((scope) => isPermitted(member.role, scope))) throw new Refusal('token_scopes');
    const times = { created_at: now, expires_at: addDays(now, days) };
    await insertToken(tx, { id, tokenHash: hashToken(token), user_id: userId, name, scopes, ...times });
    await deps.audit.record(tx, actor, {
      action: 'tokens.create',
      target: { kind: 'token', id },
      details: { member: userId, name, scopes: scopes.join(' '), days },
    });
  });
  return { id, token };
}

/** Ends a token at once, also one of another member. Refuses `not_found`, and `token_over` if it works no longer. */
export async function revokeToken(
  deps: Deps,
  { actor, id, reason }: { readonly actor: Actor; readonly id: string; readonly reason: string },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    if (actor.kind === 'staff') await holdPermission(tx, actor, 'tokens.manage');
    const token = await lockToken(tx, id);
    if (!token) throw new Refusal('not_found');
    const now = deps.clock.now();
    if (token.revoked_at || token.expires_at <= now) throw new Refusal('token_over');
    await updateRevoked(tx, id, now);
    await deps.audit.record(tx, actor, {
      action: 'tokens.revoke',
      target: { kind: 'token', id },
      reason,
      details: { member: token.user_id },
    });
  });
}

/** Those that work first. */
export async function listTokens(db: Executor, now: Date): Promise<TokenLine[]> {
  const members = new Map((await listMembers(db)).map(({ userId, email }) => [userId, email]));
  const lines = (await selectTokens(db, staffLimits.tokens.listed)).map((row) => ({
    ...{ id: row.id, name: row.name, member: members.get(row.user_id) ?? row.user_id, scopes: row.scopes },
    ...{ created_at: row.created_at.toISOString(), expires_at: row.expires_at.toISOString() },
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    isOver: row.revoked_at !== null || row.expires_at <= now,
  }));
  return lines.sort((a, b) => Number(a.isOver) - Number(b.isOver)).map(({ isOver: _, ...line }) => line);
}

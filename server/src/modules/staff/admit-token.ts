import type { AdminEndpoint } from '@raha/contract/admin/endpoint.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import { isPermitted } from '@raha/contract/admin/roles.ts';
import { scopeOf } from '@raha/contract/admin/tokens.ts';
import type { FastifyRequest } from 'fastify';
import type { Audit, StaffActor } from '../../platform/audit.ts';
import { addSeconds, type Clock, secondsBetween } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { MinuteLimit } from '../../platform/minute-limit.ts';
import { Refusal } from '../../platform/refusal.ts';
import { listEntries } from '../audit/audit.ts';
import { hashToken } from '../sessions/tokens.ts';
import type { StaffCaller } from './staff-caller.ts';
import { selectWorkingToken, updateTokenUsed } from './token-tables.ts';
import { TOKEN_MARK } from './tokens.ts';

export interface TokenDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly minuteLimit: MinuteLimit;
}

/** The token of a program; undefined: none is sent, and only a session counts. A panel's token looks otherwise. */
export function readMachineToken({ headers }: FastifyRequest): string | undefined {
  const [, token] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return token?.startsWith(TOKEN_MARK) ? token : undefined;
}

/**
 * Lets a token in where its scope and its member's role allow it, and keeps the use in the audit. Refuses `unauthenticated`,
 * `forbidden` and `too_many_requests`.
 */
export async function admitToken(
  deps: TokenDeps,
  endpoint: AdminEndpoint,
  request: FastifyRequest,
  token: string,
): Promise<StaffCaller> {
  const now = deps.clock.now();
  const row = await selectWorkingToken(deps.db, hashToken(token), now);
  if (!row) throw new Refusal('unauthenticated');
  request.userId = row.user_id;
  deps.minuteLimit.take(`staff token ${row.id}`, staffLimits.tokens.callsPerMinute);
  const scope = scopeOf(endpoint);
  if (scope === undefined || !row.scopes.includes(scope) || !isPermitted(row.role, scope))
    throw new Refusal('forbidden');
  await keepUse(deps, { kind: 'staff', userId: row.user_id, tokenId: row.id }, `${endpoint.method} ${endpoint.path}`);
  if (row.last_used_at === null || secondsBetween(row.last_used_at, now) >= 60)
    await updateTokenUsed(deps.db, row.id, now);
  return {
    ...{ userId: row.user_id, email: row.email, role: row.role, sessionId: row.id, tokenId: row.id },
    permissions: row.scopes.filter((known) => isPermitted(row.role, known)),
    // It proves nobody's presence.
    ...{ provedAt: new Date(0), provedUntil: new Date(0), expiresAt: row.expires_at },
  };
}

/** A call that a program repeats within an hour is one entry, as looks are; what it changes is an entry each time. */
async function keepUse(
  { db, clock, audit }: TokenDeps,
  actor: StaffActor & { readonly tokenId: string },
  call: string,
): Promise<void> {
  const target = { kind: 'token', id: actor.tokenId } as const;
  const since = addSeconds(clock.now(), -staffLimits.lookMinutes * 60);
  const recent = await listEntries(db, { action: USE, target }, MOST_CALLS);
  if (recent.some(({ at, details }) => at > since && (details as { call?: string }).call === call)) return;
  await inTransaction(db, (tx) => audit.record(tx, actor, { action: USE, target, details: { call } }));
}

const USE = 'tokens.use';
/** More than there are calls for tokens. */
const MOST_CALLS = 40;

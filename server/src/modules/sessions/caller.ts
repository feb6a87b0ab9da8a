import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Executor, readTogether } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Statement } from '../../platform/statements.ts';
import { type ServiceStop, stopOf } from '../accounts/service.ts';
import type { Trial } from '../accounts/trial.ts';
import { hasService, type User } from '../accounts/users.ts';
import { toAccounts, type UserAccounts } from '../ledger/user-accounts.ts';
import { isSessionAlive } from './rules.ts';
import { type SignedInRow, selectLiveSessionIds, signedIn } from './tables.ts';
import type { Tokens } from './tokens.ts';

/** The signed-in user of a request. */
export interface SignedInCaller {
  readonly user: User;
  readonly sessionId: string;
  readonly sessionEndsAt: Date;
  readonly trial: Trial | undefined;
  /** The latest stop of the service. */
  readonly stop: ServiceStop | undefined;
  /** As they were when the request began. */
  readonly accounts: UserAccounts;
  /** The rows of what was read ahead. */
  readonly ahead: readonly (readonly unknown[])[];
}

/** What a call reads anyway of the user that its token names. */
export type ReadAhead = (userId: string, now: Date) => readonly Statement[];

/**
 * Finds the sender of a request: the bearer token names a session, and the database knows whether it is still open. A
 * suspended or deleted account is refused at once, with the reason. Cookies never authenticate here. What the call reads is asked in
 * the same message, and thrown away if the session is not open.
 */
export async function authenticate(
  deps: { db: Database; clock: Clock; tokens: Tokens },
  request: FastifyRequest,
  readAhead?: ReadAhead,
): Promise<SignedInCaller> {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ');
  const claims = scheme?.toLowerCase() === 'bearer' && token ? await deps.tokens.read(token) : undefined;
  if (!claims) throw new Refusal('unauthenticated');
  const now = deps.clock.now();
  const session = signedIn({ sessionId: claims.sessionId });
  const [[row], ...ahead] = await readTogether(deps.db, [session, ...(readAhead?.(claims.userId, now) ?? [])]);
  if (row?.id !== claims.userId || !isSessionAlive(row.session_expires_at, now)) throw new Refusal('unauthenticated');
  const user = userOf(row);
  request.userId = user.id;
  if (user.status === 'suspended' || user.status === 'deleted') throw new Refusal('account_suspended');
  if (user.status === 'deactivated') throw new Refusal('account_deactivated');
  return {
    user,
    sessionId: claims.sessionId,
    sessionEndsAt: row.session_expires_at,
    trial: trialOf(row),
    stop: stopOf(row),
    accounts: toAccounts(row),
    ahead,
  };
}

function userOf(row: SignedInRow): User {
  const { id, email, name, role, status, profile_completed, email_verified_at, activated_at } = row;
  const { trial_ends_at, created_at, phone, avatar_id, pending_email } = row;
  return {
    ...{ id, email, name, role, status, profile_completed, email_verified_at, activated_at },
    ...{ trial_ends_at, created_at, phone, avatar_id, pending_email },
  };
}

function trialOf({ id, limit_bytes, used_bytes, ended_at, end_reason, last_day }: SignedInRow): Trial | undefined {
  if (limit_bytes === null || used_bytes === null) return undefined;
  return { user_id: id, limit_bytes, used_bytes, ended_at, end_reason, last_day };
}

/** Those of the given sessions that have neither ended nor expired. */
export async function findLiveSessions(db: Executor, ids: readonly string[], now: Date): Promise<ReadonlySet<string>> {
  return new Set(await selectLiveSessionIds(db, ids, now));
}

/** Refuses a user without a profile. This is enough for reading, even with an unverified address. */
export function requireProfile(user: User): User {
  if (user.status === 'incomplete' || !user.profile_completed) throw new Refusal('profile_incomplete');
  return user;
}

/** Refuses a user whose sign-up is not complete. */
export function requireActive(user: User): User {
  requireProfile(user);
  if (!user.email_verified_at) throw new Refusal('email_unverified');
  if (user.status !== 'active') throw new Refusal('forbidden');
  return user;
}

/** Refuses a user who may not create or use configs: not activated, and in no trial that needs no activation. */
export async function requireService(
  deps: { readonly db: Executor; readonly clock: Clock },
  user: User,
): Promise<User> {
  requireActive(user);
  if (!(await hasService(deps.db, user, deps.clock.now()))) throw new Refusal('activation_required');
  return user;
}

/** Refuses a user whose account no gift card has activated yet. */
export function requireActivated(user: User): User {
  requireActive(user);
  if (!user.activated_at) throw new Refusal('activation_required');
  return user;
}

import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Executor } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { findUser, hasService, type User } from '../accounts/users.ts';
import { selectLiveSession, selectLiveSessionIds } from './tables.ts';
import type { Tokens } from './tokens.ts';

/** The signed-in user of a request. */
export interface SignedInCaller {
  readonly user: User;
  readonly sessionId: string;
  readonly sessionEndsAt: Date;
}

/**
 * Finds the sender of a request: the bearer token names a session, and the database knows whether it is still open. A
 * suspended or deleted account is refused at once, with the reason. Cookies never authenticate here.
 */
export async function authenticate(
  deps: { db: Database; clock: Clock; tokens: Tokens },
  request: FastifyRequest,
): Promise<SignedInCaller> {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ');
  const claims = scheme?.toLowerCase() === 'bearer' && token ? await deps.tokens.read(token) : undefined;
  if (!claims) throw new Refusal('unauthenticated');
  const session = await selectLiveSession(deps.db, claims.sessionId, deps.clock.now());
  if (!session || session.user_id !== claims.userId) throw new Refusal('unauthenticated');
  const user = await findUser(deps.db, claims.userId);
  if (!user) throw new Refusal('unauthenticated');
  request.userId = user.id;
  if (user.status === 'suspended' || user.status === 'deleted') throw new Refusal('account_suspended');
  if (user.status === 'deactivated') throw new Refusal('account_deactivated');
  return { user, sessionId: claims.sessionId, sessionEndsAt: session.expires_at };
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

import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Executor } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { findPerson, hasService, type Person } from '../accounts/people.ts';
import { selectLiveSession, selectLiveSessionIds } from './tables.ts';
import type { Tokens } from './tokens.ts';

/** A signed-in person behind a request. */
export interface SignedInCaller {
  readonly person: Person;
  readonly sessionId: string;
  readonly sessionEndsAt: Date;
}

/**
 * Who sends a request: the bearer token names a session, the database says whether it lives. A suspended or deleted
 * account is refused with its reason at once. Cookies never authenticate here.
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
  const person = await findPerson(deps.db, claims.userId);
  if (!person) throw new Refusal('unauthenticated');
  if (person.status === 'suspended' || person.status === 'deleted') throw new Refusal('account_suspended');
  if (person.status === 'deactivated') throw new Refusal('account_deactivated');
  return { person, sessionId: claims.sessionId, sessionEndsAt: session.expires_at };
}

/** Those of some sessions that have neither ended nor run out. */
export async function findLiveSessions(db: Executor, ids: readonly string[], now: Date): Promise<ReadonlySet<string>> {
  return new Set(await selectLiveSessionIds(db, ids, now));
}

/** Refuses a person without a profile. Enough for looking; whoever has not proved the address may look, too. */
export function requireProfile(person: Person): Person {
  if (person.status === 'incomplete' || !person.profile_completed) throw new Refusal('profile_incomplete');
  return person;
}

/** Refuses a person who has not finished signing up. */
export function requireActive(person: Person): Person {
  requireProfile(person);
  if (!person.email_verified_at) throw new Refusal('email_unverified');
  if (person.status !== 'active') throw new Refusal('forbidden');
  return person;
}

/** Refuses a person who may not make or use configs: not activated, and in no trial that does without. */
export async function requireService(
  deps: { readonly db: Executor; readonly clock: Clock },
  person: Person,
): Promise<Person> {
  requireActive(person);
  if (!(await hasService(deps.db, person, deps.clock.now()))) throw new Refusal('activation_required');
  return person;
}

/** Refuses a person whose account is not activated by a gift card yet. */
export function requireActivated(person: Person): Person {
  requireActive(person);
  if (!person.activated_at) throw new Refusal('activation_required');
  return person;
}

import { limits } from '@raha/contract/limits.ts';
import { cleanName } from '@raha/contract/persian.ts';
import type { SocialProvider } from '@raha/contract/public/social.ts';
import { inTransaction, type Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { findByEmail, findUser, getUser, renameUser, type User } from '../accounts/users.ts';
import type { Device } from './device.ts';
import { openSession, SecondStepNeeded } from './open-session.ts';
import { proveAddress, type SignedIn, type SignInDeps } from './sign-in.ts';
import { findIdentity, insertIdentity } from './social-tables.ts';
import { lockAddress } from './tables.ts';

/** Sign-in with an external provider: the code flow with PKCE. State between the two steps is sealed in a cookie. */
export interface SocialPort {
  readonly name: SocialProvider;
  readonly title: string;
  /** Whether it is the built-in test provider, which asks nobody who they are. */
  readonly test: boolean;
  /** The URL to which the browser is sent. */
  start(attempt: SocialAttempt): Promise<URL>;
  /** Exchanges the returned code. Throws if anything does not match: state, nonce, signature, audience. */
  finish(returned: URL, attempt: SocialAttempt): Promise<SocialProfile>;
}

export interface SocialAttempt {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface SocialProfile {
  /** The provider's permanent id of the user; e-mail and login may change. */
  readonly subject: string;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  /** Whether the provider runs the mailbox itself, so that its claim suffices for linking an existing account. */
  readonly authoritative: boolean;
  readonly name: string;
}

/**
 * Signs in a user by the provider's id, else by a verified address. An existing account is linked only if the provider
 * is authoritative for the address; a registration that never verified the address loses its password. Refuses
 * `social_unverified` and `social_link_needs_sign_in`, and throws
 * `SecondStepNeeded` for a user with a second step.
 */
export async function signInSocially(
  deps: SignInDeps,
  port: Pick<SocialPort, 'name' | 'title'>,
  profile: SocialProfile,
  device: Device,
): Promise<SignedIn> {
  const now = deps.clock.now();
  const outcome = await inTransaction(deps.db, async (tx) => {
    const user = await userOf(tx, deps, port, profile, now);
    const session = { days: limits.session.passwordlessDays, method: port.name, device };
    const opened = await openSession(tx, deps, user, session, now);
    return 'pendingToken' in opened ? opened : { user: opened.user, ...opened.started };
  });
  if ('pendingToken' in outcome) throw new SecondStepNeeded(outcome.pendingToken);
  const accessToken = await deps.tokens.issue({ userId: outcome.user.id, sessionId: outcome.sessionId });
  return { ...outcome, existed: outcome.user.profile_completed, accessToken };
}

async function userOf(
  tx: Tx,
  deps: SignInDeps,
  port: Pick<SocialPort, 'name' | 'title'>,
  profile: SocialProfile,
  now: Date,
): Promise<User> {
  const knownId = await findIdentity(tx, port.name, profile.subject);
  const known = knownId && (await findUser(tx, knownId));
  if (known) return known;
  const provider = port.title;
  if (!profile.email || !profile.emailVerified) throw new Refusal('social_unverified', { details: { provider } });
  await lockAddress(tx, profile.email);
  const existing = await findByEmail(tx, profile.email);
  if (existing?.email_verified_at && !profile.authoritative)
    throw new Refusal('social_link_needs_sign_in', { details: { provider } });
  const user = await proveAddress(tx, deps, profile.email, now);
  await insertIdentity(tx, { provider: port.name, subject: profile.subject, userId: user.id }, now);
  const name = cleanName(profile.name).slice(0, limits.name.max);
  // A suggestion for the profile step; the user decides.
  if (!user.profile_completed && name.length >= limits.name.min) await renameUser(tx, user.id, name);
  return await getUser(tx, user.id);
}

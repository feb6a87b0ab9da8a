import { timingSafeEqual } from 'node:crypto';
import { limits } from '@raha/contract/limits.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Notifier } from '../../platform/notifications.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { completeUserProfile, findOrCreateByProvedEmail, type User } from '../accounts/users.ts';
import { openUserAccounts } from '../ledger/user-accounts.ts';
import type { Device } from './device.ts';
import { endSessions } from './end-sessions.ts';
import type { SessionNotifications } from './notifications.ts';
import { openSession, SecondStepNeeded } from './open-session.ts';
import { browserRequester } from './requester.ts';
import { decideTry } from './rules.ts';
import { codeHmac } from './send-code.ts';
import type { StartedSession } from './start-session.ts';
import { type ChallengePurpose, countTry, lockAddress, lockOpenChallenges, markChallengeUsed } from './tables.ts';
import type { Tokens } from './tokens.ts';

export interface SignInDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly tokens: Tokens;
  readonly jobs: Jobs;
  readonly notifier: Notifier<SessionNotifications>;
  readonly bus: Bus;
}

export interface SignedIn extends StartedSession {
  readonly user: User;
  /** False for a new user. */
  readonly existed: boolean;
  readonly accessToken: string;
}

/**
 * Proves an address with its code and signs in. A new address becomes a user with status `incomplete`, or `active` if
 * `fullName` is given. Refuses `code_invalid` (wrong, expired, used or never sent: one answer) and `code_burnt`. A
 * wrong attempt is counted although the call fails: it commits, then refuses. Throws `SecondStepNeeded` for a user with a
 * second step.
 */
export async function signInWithCode(
  deps: SignInDeps,
  request: { email: string; code: string; device: Device; fullName?: string | undefined },
): Promise<SignedIn> {
  const now = deps.clock.now();
  const outcome = await inTransaction(deps.db, async (tx) => {
    await lockAddress(tx, request.email);
    const { key: requester } = await browserRequester(tx, request.device, undefined);
    const refused = await consumeCode(tx, deps.vault, { ...request, purpose: 'sign-in', requester }, now);
    if (refused) return refused;
    const user = await proveAddress(tx, deps, request.email, now);
    const session = { days: limits.session.passwordlessDays, method: 'code' as const, device: request.device };
    const opened = await openSession(tx, deps, user, session, now);
    if ('pendingToken' in opened) return opened;
    const { fullName } = request;
    const named =
      fullName !== undefined && !user.profile_completed
        ? await completeUserProfile(tx, deps.vault, opened.user, fullName, now)
        : opened.user;
    return { user: named, existed: user.profile_completed, ...opened.started };
  });
  if (typeof outcome === 'string') throw new Refusal(outcome);
  if ('pendingToken' in outcome) throw new SecondStepNeeded(outcome.pendingToken);
  return {
    ...outcome,
    accessToken: await deps.tokens.issue({ userId: outcome.user.id, sessionId: outcome.sessionId }),
  };
}

/**
 * The user of an address that its owner has just proved (by code, or by a provider that verified it). If somebody else
 * had registered it without verification, their password and sessions end here (pre-hijacking).
 */
export async function proveAddress(
  tx: Tx,
  deps: Pick<SignInDeps, 'clock' | 'bus'>,
  email: string,
  now: Date,
): Promise<User> {
  const { user, created, disowned } = await findOrCreateByProvedEmail(tx, email, now);
  if (created) await openUserAccounts(tx, user.id, now);
  if (disowned) await endSessions(tx, deps, user.id, null, 'the address was proved by its owner');
  return user;
}

/** `consumeCode`, one after another for an address. */
export async function consumeCodeOf(
  tx: Tx,
  vault: Vault,
  given: Parameters<typeof consumeCode>[2],
  now: Date,
): ReturnType<typeof consumeCode> {
  await lockAddress(tx, given.email);
  return await consumeCode(tx, vault, given, now);
}

/** Compares a code and consumes it. On failure, counts the attempt and returns the reason. */
export async function consumeCode(
  tx: Tx,
  vault: Vault,
  given: { email: string; code: string; purpose: ChallengePurpose; requester: string | 'any' },
  now: Date,
): Promise<'code_invalid' | 'code_burnt' | undefined> {
  const challenges = await lockOpenChallenges(tx, given.email, given.purpose, given.requester);
  const [newest] = challenges;
  if (!newest) return 'code_invalid';
  const open = challenges.filter((challenge) => decideTry(challenge, now) === 'compare');
  const match = open.find(({ id, code_hmac }) => timingSafeEqual(code_hmac, codeHmac(vault, id, given.code)));
  if (match) {
    await markChallengeUsed(tx, match.id, now);
    return undefined;
  }
  const [tried] = open;
  if (!tried) return decideTry(newest, now) === 'burnt' ? 'code_burnt' : 'code_invalid';
  await countTry(tx, tried.id);
  return tried.attempts + 1 >= limits.verificationCode.attemptsPerChallenge ? 'code_burnt' : 'code_invalid';
}

import { limits } from '@raha/contract/limits.ts';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../platform/refusal.ts';
import { findByEmail } from '../accounts/users.ts';
import { deviceOf } from './device.ts';
import type { AuthDeps } from './give-session.ts';
import { SecondStepNeeded } from './open-session.ts';
import { browserRequester } from './requester.ts';
import { readLinkToken, refusePaused } from './send-code.ts';
import { type SignedIn, signInWithCode } from './sign-in.ts';
import { findAttempts } from './tables.ts';

const WRONG = 'wrong code';

/**
 * Signs in with the token of a mailed link, as `tryCode` does with the code in it. Refuses `code_invalid` for a token that
 * is not ours, and for programs without our cookie: whatever opens links for others must not sign in.
 */
export async function tryLink(deps: AuthDeps, request: FastifyRequest, token: string): Promise<SignedIn> {
  const proof = deviceOf(request).cookie && readLinkToken(deps.vault, 'sign-in', token);
  if (!proof) throw new Refusal('code_invalid');
  return await tryCode(deps, request, proof);
}

/**
 * Signs in with a code, or refuses what `signInWithCode` refuses. Wrong codes of unknown browsers are also counted by
 * network and for the whole site, because an attacker can spread guesses over many addresses (audit S7); beyond the limits
 * their codes are refused unread (`too_many_requests`). Mistakes before the right code do not count, since thousands of
 * people share one network. A browser known to the account is never slowed.
 */
export async function tryCode(
  deps: AuthDeps,
  request: FastifyRequest,
  given: { readonly email: string; readonly code: string; readonly fullName?: string },
): Promise<SignedIn> {
  const device = deviceOf(request);
  const user = await findByEmail(deps.db, given.email);
  const { key, isKnown } = await browserRequester(deps.db, device, user?.id);
  if (isKnown) return await signInWithCode(deps, { ...given, device });
  // Counted before the comparison and taken back unless the code was wrong, so that concurrent guesses count each other.
  const takeBack = deps.networkLimit.take(request, WRONG, limits.verificationCode.wrongPerNetworkPerHour);
  let attempts: number | undefined;
  let isWrong = false;
  const forgiveMistakes = () => deps.networkLimit.giveBack(request, WRONG, attempts ?? 0);
  try {
    await refusePaused(deps.db, deps.clock.now());
    attempts = await findAttempts(deps.db, given.email, key);
    const session = await signInWithCode(deps, { ...given, device });
    forgiveMistakes();
    return session;
  } catch (error) {
    if (error instanceof SecondStepNeeded) forgiveMistakes();
    const isRefused = error instanceof Refusal && (error.code === 'code_invalid' || error.code === 'code_burnt');
    // Without an open code nothing was compared.
    isWrong = isRefused && attempts !== undefined && attempts < limits.verificationCode.attemptsPerChallenge;
    throw error;
  } finally {
    if (!isWrong) takeBack();
  }
}

import { limits } from '@raha/contract/limits.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addSeconds } from '../../platform/clock.ts';
import { Refusal } from '../../platform/refusal.ts';
import { deviceOf } from './device.ts';
import type { AuthDeps } from './give-session.ts';
import { type PasswordSignIn, signInWithPassword } from './password-sign-in.ts';
import { countStrangersFailures } from './password-tables.ts';
import { findAccount } from './requester.ts';
import { admitCall } from './take-call.ts';

/** What the limit of networks counts them as. */
export const WRONG_PASSWORD = 'wrong password';

/**
 * Signs in with a password, or refuses what `signInWithPassword` refuses. Wrong passwords of unknown browsers are also
 * counted by network and for the whole site, as wrong codes are: an attacker can try one password at many addresses
 * (decision 0050). Beyond the limits they are refused uncompared (`login_throttled`); codes and passkeys go on. Mistakes
 * before the right password are forgiven. A browser known to the account is never slowed.
 *
 * The call is admitted as `takeCall` does. A browser with our cookie is looked up together with the account, in one message; all others
 * ask for the account only once they are admitted.
 */
export async function tryLogin(
  deps: AuthDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  given: { readonly email: string; readonly password: string; readonly rememberMe: boolean },
): Promise<PasswordSignIn> {
  const device = deviceOf(request);
  const find = () => findAccount(deps.db, device, given.email);
  const known = device.cookie === undefined ? undefined : await find();
  await admitCall(deps, request, reply, 'login', known?.isKnownToAny === true);
  const { account, requester } = known ?? (await find());
  const attempt = { ...given, device, account, requester };
  if (requester.isKnown) return await signInWithPassword(deps, attempt);
  const { pauseFromWrongPerHour, wrongPerNetworkPerHour } = limits.password;
  const now = deps.clock.now();
  // Counted before the comparison and taken back unless the password was wrong, so that concurrent guesses count each other.
  const takeBack = deps.networkLimit.tryTake(request, WRONG_PASSWORD, wrongPerNetworkPerHour);
  if (!takeBack) throw throttled(60 - now.getUTCMinutes());
  let isWrong = false;
  try {
    if ((await countStrangersFailures(deps.db, addSeconds(now, -3600))) >= pauseFromWrongPerHour) throw throttled(10);
    const forgive = (mistakes: number) => deps.networkLimit.giveBack(request, WRONG_PASSWORD, mistakes);
    return await signInWithPassword(deps, { ...attempt, forgive });
  } catch (error) {
    isWrong = error instanceof Refusal && error.code === 'login_failed';
    throw error;
  } finally {
    if (!isWrong) takeBack();
  }
}

function throttled(minutes: number): Refusal {
  return new Refusal('login_throttled', { details: { minutes }, retryAfterSeconds: minutes * 60 });
}

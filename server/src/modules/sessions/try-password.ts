import { limits } from '@raha/contract/limits.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { type PasswordWork, verifyPassword } from '../../platform/password-hash.ts';
import { Refusal } from '../../platform/refusal.ts';
import { takeAttempt, uncountFailure } from './password-tables.ts';
import { bucketOf, type Requester, waitMinutes } from './rules.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
}

/** Whether a password is the one stored for an address, as `comparePassword`. A right one is no failure. */
export async function tryPassword(
  deps: Deps,
  email: string,
  stored: string | null | undefined,
  password: string,
  requester: Requester,
): Promise<boolean> {
  const { fits, countedAt } = await comparePassword(deps, email, stored, password, requester);
  if (fits) await uncountFailure(deps.db, email, bucketOf(requester), countedAt);
  return fits;
}

/**
 * Whether a password is the one stored for an address; if none is stored, false after the same work. Ten wrong attempts
 * in 15 minutes make a requester wait. Each session and each browser known to the account is counted on its own, all
 * unknown requesters together. An attempt is counted before the comparison, so of many concurrent attempts no more than ten are
 * compared; the caller uncounts one that was right. Refuses `login_throttled`.
 */
export async function comparePassword(
  deps: Deps,
  email: string,
  stored: string | null | undefined,
  password: string,
  requester: Requester,
): Promise<{ readonly fits: boolean; readonly countedAt: Date }> {
  const now = deps.clock.now();
  const bucket = bucketOf(requester);
  const { windowMinutes, failuresPerWindow } = limits.password;
  const since = addSeconds(now, -windowMinutes * 60);
  const failures = await takeAttempt(deps.db, { email, bucket, since, allowed: failuresPerWindow }, now);
  const minutes = waitMinutes(failures, { allowed: failuresPerWindow, windowMinutes }, now);
  if (minutes !== undefined)
    throw new Refusal('login_throttled', { details: { minutes }, retryAfterSeconds: minutes * 60 });
  try {
    return { fits: await verifyPassword(stored, password, workOf(requester)), countedAt: now };
  } catch (error) {
    // The queue was full: nothing was compared, and that is no failure either.
    await uncountFailure(deps.db, email, bucket, now);
    throw error;
  }
}

function workOf({ key, isKnown }: Requester): Exclude<PasswordWork, 'new-password'> {
  if (!isKnown) return 'sign-in';
  return key.startsWith('session:') ? 'session' : 'known-device';
}

import { limits } from '@raha/contract/limits.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database.ts';
import { newSecret } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { admitUser, refuseClosed, type User } from '../accounts/users.ts';
import { hasSecondStep } from '../factors/second-step.ts';
import { insertPending } from './pending-tables.ts';
import { type NewSession, type StartedSession, startSession } from './start-session.ts';
import { hashToken } from './tokens.ts';

/** Thrown after the transaction of the first step has committed; the routes keep the token in a cookie. */
export class SecondStepNeeded extends Refusal {
  readonly pendingToken: string;

  constructor(pendingToken: string) {
    super('second_step_required');
    this.pendingToken = pendingToken;
  }
}

export type Opened = { readonly user: User; readonly started: StartedSession } | { readonly pendingToken: string };

/**
 * Starts the session of a locked user whose password, code or provider was right. A user with a second step gets a pending
 * sign-in instead: the caller lets its transaction commit and throws `SecondStepNeeded`. Refuses `account_suspended` and
 * `account_deactivated`. `needsSecondStep`: as read since the user was locked.
 */
export async function openSession(
  tx: Tx,
  deps: Parameters<typeof startSession>[1],
  user: User,
  session: NewSession,
  now: Date,
  needsSecondStep?: boolean,
): Promise<Opened> {
  if (!(needsSecondStep ?? (await hasSecondStep(tx, user.id)))) {
    const admitted = await admitUser(tx, user);
    return { user: admitted, started: await startSession(tx, deps, admitted, session, now) };
  }
  await refuseClosed(tx, user);
  const pendingToken = newSecret();
  const expiresAt = addSeconds(now, limits.factors.pendingSignInSeconds);
  const { method, days } = session;
  await insertPending(tx, { tokenHash: hashToken(pendingToken), userId: user.id, method, days, expiresAt }, now);
  return { pendingToken };
}

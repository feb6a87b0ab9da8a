import { limits } from '@raha/contract/limits.ts';
import type { AssertionOptions, PasskeyAssertion } from '@raha/contract/public/factors.ts';
import { inTransaction } from '../../platform/database.ts';
import { admitUser, lockUser } from '../accounts/users.ts';
import type { FactorDeps } from '../factors/notify-change.ts';
import { offerPasskey, verifyPasskey } from '../factors/verify-passkey.ts';
import type { Device } from './device.ts';
import { browserRequester } from './requester.ts';
import type { SignedIn, SignInDeps } from './sign-in.ts';
import { startSession } from './start-session.ts';

type Deps = SignInDeps & FactorDeps;

/** Options for signing in with any passkey of this site; only this browser can use them. */
export async function offerPasskeySignIn(deps: Deps, device: Device): Promise<AssertionOptions> {
  const { key: requester } = await browserRequester(deps.db, device, undefined);
  return await offerPasskey(deps, { purpose: 'sign-in', requester });
}

/**
 * Signs in the user that a passkey names. The authenticator holds the key and has verified its user, which makes two
 * factors, so nothing else is asked for. Refuses `passkey_refused`, `account_suspended` and `account_deactivated`.
 */
export async function signInWithPasskey(deps: Deps, credential: PasskeyAssertion, device: Device): Promise<SignedIn> {
  const now = deps.clock.now();
  const { key: requester } = await browserRequester(deps.db, device, undefined);
  const { userId } = await verifyPasskey(deps, { purpose: 'sign-in', requester }, credential);
  const outcome = await inTransaction(deps.db, async (tx) => {
    const user = await admitUser(tx, await lockUser(tx, userId));
    const session = { days: limits.session.passwordlessDays, method: 'passkey' as const, device };
    return { user, ...(await startSession(tx, deps, user, session, now)) };
  });
  const accessToken = await deps.tokens.issue({ userId, sessionId: outcome.sessionId });
  return { ...outcome, existed: outcome.user.profile_completed, accessToken };
}

import { limits } from '@raha/contract/limits.ts';
import type { AssertionOptions, PasskeyAssertion } from '@raha/contract/public/factors.ts';
import { inTransaction } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getPasswordHash, isStaff, type User } from '../accounts/users.ts';
import type { FactorDeps } from '../factors/notify-change.ts';
import { hasFactor } from '../factors/second-step.ts';
import { type ChallengeScope, offerPasskey } from '../factors/verify-passkey.ts';
import { sessionRequester } from './requester.ts';
import { type SendCodeDeps, sendCode } from './send-code.ts';
import { consumeCode } from './sign-in.ts';
import { lockAddress } from './tables.ts';
import { tryFactor } from './try-factor.ts';
import { tryPassword } from './try-password.ts';

export interface SelfProof {
  readonly password?: string | undefined;
  readonly code?: string | undefined;
  readonly totp?: string | undefined;
  readonly passkey?: PasskeyAssertion | undefined;
}

/** The signed-in user and their session. */
export interface Asking {
  readonly user: User;
  readonly sessionId: string;
}

/**
 * Confirms that the request comes from the owner and not from somebody at an unattended device: by the password or, if
 * there is none, by a code mailed to the account's address; or by a factor instead, which is all that counts for staff who have
 * one. Refuses `confirmation_needed`, `staff_factor_needed`, `password_wrong`, `login_throttled`,
 * `code_invalid`, `code_burnt` and what `tryFactor` refuses.
 */
export async function confirmSelf(deps: FactorDeps, { user, sessionId }: Asking, proof: SelfProof): Promise<void> {
  const now = deps.clock.now();
  const requester = sessionRequester(sessionId);
  const { totp, passkey } = proof;
  if (passkey) return await tryFactor(deps, user, requester, { credential: passkey }, scopeOf({ user, sessionId }));
  if (totp !== undefined) return await tryFactor(deps, user, requester, { totp }, scopeOf({ user, sessionId }));
  // Staff enter the console with these factors: the mailbox or a password must not be enough to add one.
  if (isStaff(user) && (await hasFactor(deps.db, user.id))) throw new Refusal('staff_factor_needed');
  const stored = await getPasswordHash(deps.db, user.id);
  if (stored !== null) {
    if (proof.password === undefined) throw new Refusal('confirmation_needed');
    if (await tryPassword(deps, user.email, stored, proof.password, sessionRequester(sessionId))) return;
    throw new Refusal('password_wrong', { fields: { password: 'password_wrong' } });
  }
  const { code } = proof;
  if (code === undefined) throw new Refusal('confirmation_needed');
  const refused = await inTransaction(deps.db, async (tx) => {
    await lockAddress(tx, user.email);
    return await consumeCode(
      tx,
      deps.vault,
      { email: user.email, code, purpose: 'confirm', requester: sessionRequester(sessionId).key },
      now,
    );
  });
  if (refused) throw new Refusal(refused);
}

/** Options for confirming with one of the user's passkeys, in this session. Refuses `passkey_unavailable`. */
export async function offerConfirmationByPasskey(deps: FactorDeps, asking: Asking): Promise<AssertionOptions> {
  return await offerPasskey(deps, scopeOf(asking));
}

function scopeOf({ user, sessionId }: Asking): ChallengeScope {
  return { purpose: 'confirm', requester: sessionRequester(sessionId).key, userId: user.id };
}

/** Mails the code for `confirmSelf` to the account's own address. Refuses `code_too_soon`. */
export async function sendConfirmation(
  deps: SendCodeDeps,
  { user, sessionId }: Asking,
): Promise<{ retryAfterSeconds: number }> {
  const requester = sessionRequester(sessionId);
  await sendCode(deps, { email: user.email, purpose: 'confirm', userId: user.id, requester });
  return { retryAfterSeconds: limits.verificationCode.resendAfterSeconds };
}

import type { DeliveryKind } from '@raha/contract/deliveries.ts';
import { limits } from '@raha/contract/limits.ts';
import { secondsBetween } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { User } from '../accounts/users.ts';
import { forgottenPassword } from './jobs.ts';
import { selectLastReset } from './password-tables.ts';
import { type SendCodeDeps, sendCode } from './send-code.ts';
import { type ChallengePurpose, lockAddress, selectLastRequester } from './tables.ts';

const purposes: Readonly<Partial<Record<DeliveryKind, ChallengePurpose>>> = {
  sign_in_code: 'sign-in',
  verify_email_code: 'verify-email',
  change_email_code: 'change-email',
  confirm_code: 'confirm',
};

export function purposeOfKind(kind: DeliveryKind): ChallengePurpose | undefined {
  return purposes[kind];
}

/**
 * Mails another code to who asked for the last one, within the limits of their own requests: only that browser or session can use
 * it. `record` is part of the transaction. Refuses what `sendCode` refuses, and `delivery_not_resendable` if nobody waits for one.
 */
export async function resendCode(
  deps: SendCodeDeps,
  { user, purpose }: { readonly user: User; readonly purpose: ChallengePurpose },
  record: (tx: Tx) => Promise<void>,
): Promise<void> {
  const email = purpose === 'change-email' ? user.pending_email : user.email;
  const waits = purpose !== 'verify-email' || user.email_verified_at === null;
  const requester = email === null ? undefined : await selectLastRequester(deps.db, email, purpose);
  if (email === null || !requester || !waits) throw new Refusal('delivery_not_resendable');
  await sendCode(deps, { email, purpose, userId: user.id, requester, record });
}

/** Mails another password link, at most one a minute, as its owner may ask for it. Refuses `code_too_soon`. */
export async function resendResetLink(
  deps: Pick<SendCodeDeps, 'db' | 'clock' | 'jobs'>,
  user: User,
  record: (tx: Tx) => Promise<void>,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockAddress(tx, user.email);
    const last = await selectLastReset(tx, user.id);
    const wait = last ? limits.verificationCode.resendAfterSeconds - secondsBetween(last, deps.clock.now()) : 0;
    if (wait > 0) {
      const seconds = Math.ceil(wait);
      throw new Refusal('code_too_soon', { details: { seconds }, retryAfterSeconds: seconds });
    }
    await deps.jobs.send(tx, forgottenPassword, { email: user.email });
    await record(tx);
  });
}

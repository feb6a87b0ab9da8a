import { limits } from '@raha/contract/limits.ts';
import { addDays } from '../../platform/clock.ts';
import { inTransaction, violatedConstraint } from '../../platform/database.ts';
import { sendEmail } from '../../platform/email.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getSetting } from '../../platform/settings.ts';
import { accountChanged } from '../accounts/signals.ts';
import { getUser, lockRemaining, lockUser, replaceEmail, setPendingEmail, type User } from '../accounts/users.ts';
import type { FactorDeps } from '../factors/notify-change.ts';
import { brandName } from '../site/settings.ts';
import { type Asking, confirmSelf, type SelfProof } from './confirm-self.ts';
import { endSessions } from './end-sessions.ts';
import { forgetAddress } from './forget.ts';
import { emailChangedMail } from './mails.ts';
import { countEmailChange, deleteResets, selectEmailChanges, uncountEmailChange } from './password-tables.ts';
import { sessionRequester } from './requester.ts';
import { type SendCodeDeps, sendCode } from './send-code.ts';
import { consumeCode, type SignInDeps } from './sign-in.ts';
import { lockAddress } from './tables.ts';

type Deps = SignInDeps & SendCodeDeps & FactorDeps;

/**
 * Mails a code to a new address. The answer does not show whether the address already has an account: the code is sent
 * in any case, and only its reader learns more. Refuses what `confirmSelf` refuses, `code_too_soon` and
 * `too_many_requests`.
 */
export async function requestEmailChange(
  deps: Deps,
  caller: Asking,
  email: string,
  proof: SelfProof,
): Promise<{ retryAfterSeconds: number }> {
  const now = deps.clock.now();
  const { user } = caller;
  await confirmSelf(deps, caller, proof);
  // Counted before the mail is sent, so that concurrent requests together stay within the daily limit.
  await inTransaction(deps.db, async (tx) => {
    await lockRemaining(tx, user.id);
    if ((await selectEmailChanges(tx, user.id, addDays(now, -1))) >= limits.emailChangesPerDay) {
      throw new Refusal('too_many_requests', { details: { seconds: 86_400 }, retryAfterSeconds: 86_400 });
    }
    await countEmailChange(tx, user.id, now);
  });
  const sent = await sendCode(deps, {
    email,
    purpose: 'change-email',
    userId: user.id,
    requester: sessionRequester(caller.sessionId),
  }).catch(async (error: unknown) => {
    // No mail was sent.
    if (error instanceof Refusal) await uncountEmailChange(deps.db, user.id);
    throw error;
  });
  await inTransaction(deps.db, async (tx) => {
    await setPendingEmail(tx, (await lockRemaining(tx, user.id)).id, email);
  });
  return sent;
}

/** Mails another code to the pending address. Refuses `email_change_none`, and `code_too_soon` as every code does. */
export async function resendEmailCode(deps: Deps, { user, sessionId }: Asking): Promise<{ retryAfterSeconds: number }> {
  if (!user.pending_email) throw new Refusal('email_change_none');
  return await sendCode(deps, {
    email: user.pending_email,
    purpose: 'change-email',
    userId: user.id,
    requester: sessionRequester(sessionId),
  });
}

/**
 * Verifies the new address by its code, replaces the old one and notifies the old one by mail. Password links sent to
 * the old address become invalid and the other sessions end, so the owner notices a change made by mistake or by force.
 * Refuses `email_change_none`, `code_invalid`, `code_burnt`, `email_taken`.
 */
export async function verifyNewEmail(
  deps: Deps,
  caller: { readonly user: User; readonly sessionId: string },
  code: string,
): Promise<User> {
  const now = deps.clock.now();
  const { id, pending_email: email } = caller.user;
  if (!email) throw new Refusal('email_change_none');
  try {
    const refused = await inTransaction(deps.db, async (tx) => {
      await lockAddress(tx, email);
      const user = await lockUser(tx, id);
      if (user.pending_email !== email) return 'email_change_none' as const;
      const wrong = await consumeCode(tx, deps.vault, { email, code, purpose: 'change-email', requester: 'any' }, now);
      if (wrong) return wrong;
      await replaceEmail(tx, deps.vault, id, email, now);
      await forgetAddress(tx, user.email);
      await deleteResets(tx, id);
      await endSessions(tx, deps, id, caller.sessionId, 'the address was changed');
      const mail = emailChangedMail(await getSetting(tx, brandName), email, now);
      await deps.jobs.send(tx, sendEmail, { to: user.email, ...mail, about: { kind: 'email_changed', userId: id } });
      await deps.notifier.notify(tx, [{ userId: id, kind: 'address_verified', cause: now.toISOString(), data: {} }]);
      await deps.bus.announce(tx, accountChanged, { userId: id });
      return undefined;
    });
    if (refused) throw new Refusal(refused);
  } catch (error) {
    // Somebody has registered with this address meanwhile.
    if (violatedConstraint(error) === 'users_email_key') throw new Refusal('email_taken');
    throw error;
  }
  return await getUser(deps.db, id);
}

export async function cancelEmailChange(deps: Deps, user: User): Promise<void> {
  await inTransaction(deps.db, (tx) => setPendingEmail(tx, user.id, null));
}

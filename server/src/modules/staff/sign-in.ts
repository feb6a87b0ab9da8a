import type { StaffSignIn } from '@raha/contract/admin/sessions.ts';
import { limits } from '@raha/contract/limits.ts';
import type { AssertionOptions } from '@raha/contract/public/factors.ts';
import { addSeconds } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/database.ts';
import { sendEmail } from '../../platform/email.ts';
import { newId, newSecret } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getSetting } from '../../platform/settings.ts';
import { getUser } from '../accounts/users.ts';
import { listFactors } from '../factors/list-factors.ts';
import type { FactorDeps } from '../factors/notify-change.ts';
import { type ChallengeScope, offerPasskey } from '../factors/verify-passkey.ts';
import type { Device } from '../sessions/device.ts';
import { newDeviceMail, secondStepFailingMail } from '../sessions/mails.ts';
import { noteDevice } from '../sessions/note-device.ts';
import { browserRequester } from '../sessions/requester.ts';
import { type SentCode, sendCode } from '../sessions/send-code.ts';
import { consumeCodeOf } from '../sessions/sign-in.ts';
import { hashToken } from '../sessions/tokens.ts';
import { type FactorProof, tryFactor } from '../sessions/try-factor.ts';
import { brandName } from '../site/settings.ts';
import type { PendingCaller } from './admit.ts';
import { insertSession, insertSignIn, takeSignIn } from './session-tables.ts';
import { holdMember, selectMemberByEmail } from './tables.ts';

/**
 * Mails a code to a member. For every other address the same work is done and the mail is dropped, so the answer does not say
 * who works here. Refuses `code_too_soon` and `too_many_requests`.
 */
export async function sendStaffCode(deps: FactorDeps, email: string, device: Device): Promise<SentCode> {
  const member = await selectMemberByEmail(deps.db, email);
  const requester = await browserRequester(deps.db, device, member?.user_id);
  return await sendCode(deps, {
    email,
    purpose: 'console',
    userId: member?.user_id,
    requester,
    isWanted: member !== undefined,
  });
}

/**
 * Takes the mailed code. Returns the token of the sign-in, which a factor completes, and what there is to complete it. Refuses
 * `code_invalid`, `code_burnt` and `staff_enrolment_over` (no factor, and the hours to set up the first one are over).
 */
export async function enterCode(
  deps: FactorDeps,
  { email, code, device }: { readonly email: string; readonly code: string; readonly device: Device },
): Promise<{ readonly token: string; readonly signIn: StaffSignIn }> {
  const now = deps.clock.now();
  const token = newSecret();
  const expiresAt = addSeconds(now, limits.factors.pendingSignInSeconds);
  const outcome = await inTransaction(deps.db, async (tx) => {
    const { key: requester } = await browserRequester(tx, device, undefined);
    const refused = await consumeCodeOf(tx, deps.vault, { email, code, purpose: 'console', requester }, now);
    if (refused) return refused;
    const found = await selectMemberByEmail(tx, email);
    const member = found && (await holdMember(tx, found.user_id));
    // Disabled since the code was sent.
    if (!member) return 'code_invalid' as const;
    await insertSignIn(tx, { tokenHash: hashToken(token), userId: member.user_id, expiresAt }, now);
    return member;
  });
  if (typeof outcome === 'string') throw new Refusal(outcome);
  const caller = { userId: outcome.user_id, enrolUntil: outcome.enrol_until, expiresAt };
  return { token, signIn: await describeSignIn(deps, caller) };
}

/** What completes a sign-in. Refuses `staff_enrolment_over`. */
export async function describeSignIn(
  deps: Pick<FactorDeps, 'db' | 'clock' | 'publicUrl'>,
  { userId, enrolUntil, expiresAt }: Omit<PendingCaller, 'tokenHash'>,
): Promise<StaffSignIn> {
  const { passkeys, totp, recovery_codes_left, passkey_host } = await listFactors(deps.db, deps.publicUrl, userId);
  const enrol = passkeys.length === 0 && totp === null;
  if (enrol && enrolUntil < deps.clock.now()) throw new Refusal('staff_enrolment_over');
  return {
    totp: totp !== null,
    passkey: passkeys.length > 0,
    recovery_code: recovery_codes_left > 0,
    enrol,
    passkeys_work: passkey_host !== null,
    expires_at: expiresAt.toISOString(),
  };
}

export async function offerSignInPasskey(deps: FactorDeps, caller: PendingCaller): Promise<AssertionOptions> {
  return await offerPasskey(deps, scopeOf(caller));
}

/** Completes a sign-in with a factor, and returns the token of the session. Refuses what `tryFactor` and `startSession` refuse. */
export async function completeSignIn(
  deps: FactorDeps,
  caller: PendingCaller,
  proof: FactorProof,
  device: Device,
): Promise<string> {
  const user = await getUser(deps.db, caller.userId);
  const requester = await browserRequester(deps.db, device, user.id);
  await tryFactor(deps, user, requester, proof, scopeOf(caller), async (tx) => {
    const mail = secondStepFailingMail(await getSetting(tx, brandName), 'code', deps.clock.now());
    await deps.jobs.send(tx, sendEmail, {
      to: user.email,
      ...mail,
      about: { kind: 'second_step_failing', userId: user.id },
    });
  });
  return await startSession(deps, caller, device);
}

/**
 * Starts the session of a member after a factor was shown. A member who is being disabled either gets none, or it ends with
 * them: the row is held here and changed there. Refuses `second_step_expired`.
 */
export async function startSession(deps: FactorDeps, caller: PendingCaller, device: Device): Promise<string> {
  const now = deps.clock.now();
  const token = newSecret();
  await inTransaction(deps.db, async (tx) => {
    const member = await holdMember(tx, caller.userId);
    if (!member || !(await takeSignIn(tx, caller.tokenHash, now))) throw new Refusal('second_step_expired');
    await insertSession(tx, { id: newId(now), tokenHash: hashToken(token), userId: member.user_id }, now);
    if (device.cookie && (await noteDevice(tx, member.user_id, device.cookie, now))) {
      const { email } = await getUser(tx, member.user_id);
      const mail = newDeviceMail(await getSetting(tx, brandName), device.label, now);
      await deps.jobs.send(tx, sendEmail, {
        to: email,
        ...mail,
        about: { kind: 'new_device', userId: member.user_id },
      });
    }
  });
  return token;
}

export function requesterOf({ tokenHash }: Pick<PendingCaller, 'tokenHash'>): string {
  return `staff-sign-in:${tokenHash.toString('hex')}`;
}

function scopeOf(caller: PendingCaller): ChallengeScope {
  return { purpose: 'second-step', requester: requesterOf(caller), userId: caller.userId };
}

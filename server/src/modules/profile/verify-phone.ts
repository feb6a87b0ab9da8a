import { timingSafeEqual } from 'node:crypto';
import { limits } from '@raha/contract/limits.ts';
import type { Bus } from '../../platform/bus.ts';
import { addDays, addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx, violatedConstraint } from '../../platform/database.ts';
import type { Jobs } from '../../platform/jobs.ts';
import { newDigits, newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import type { SmsSender } from '../../platform/sms.ts';
import { accountChanged } from '../accounts/signals.ts';
import { getUser, isInTrial, lockUser, setPhone } from '../accounts/users.ts';
import { sendTextMessage } from '../notifications/jobs.ts';
import { decideSend, decideTry } from '../sessions/rules.ts';
import { beginWaiting } from '../subscriptions/allowance.ts';
import { waitForNumber } from './phone-rules.ts';
import {
  countCodes,
  countPhoneTry,
  insertCode,
  lockNumber,
  lockOpenCode,
  markCodeUsed,
  selectCodeTimes,
} from './phone-tables.ts';

export interface PhoneDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly jobs: Jobs;
  readonly bus: Bus;
  readonly sms: SmsSender | undefined;
}

/**
 * Sends a code to a number. Limited per account; per number across accounts, so that nobody can be flooded; and per hour
 * overall, so that the cost has a bound. `record` is done last in the transaction. Refuses `sms_off`, `code_too_soon`, `unavailable`.
 */
export async function sendPhoneCode(
  deps: PhoneDeps,
  userId: string,
  phone: string,
  record?: (tx: Tx) => Promise<void>,
): Promise<number> {
  if (!deps.sms) throw new Refusal('sms_off');
  const now = deps.clock.now();
  const code = newDigits(limits.phone.codeDigits);
  await inTransaction(deps.db, async (tx) => {
    await lockUser(tx, userId);
    await lockNumber(tx, phone);
    const day = addDays(now, -1);
    const sent = await selectCodeTimes(tx, { userId }, day);
    const account = decideSend({ own: sent, shared: sent }, now);
    const number = waitForNumber(await selectCodeTimes(tx, { phone }, day), now);
    const seconds = Math.max(number, account.kind === 'too-soon' ? account.waitSeconds : 0);
    if (seconds > 0) throw new Refusal('code_too_soon', { details: { seconds }, retryAfterSeconds: seconds });
    if ((await countCodes(tx, addSeconds(now, -3600))) >= limits.phone.perHour) throw new Refusal('unavailable');
    const id = newId(now);
    const expiresAt = addSeconds(now, limits.verificationCode.lifetimeSeconds);
    await insertCode(tx, { id, userId, phone, hmac: hmacOf(deps.vault, id, code), expiresAt }, now);
    await deps.jobs.send(tx, sendTextMessage, {
      to: phone,
      purpose: 'code',
      token: code,
      about: { kind: 'phone_code', userId },
      until: expiresAt.toISOString(),
    });
    await record?.(tx);
  });
  return limits.verificationCode.resendAfterSeconds;
}

/**
 * Assigns the number to the account if the code is right. Of two accounts with the same number the first keeps it. Refuses
 * `phone_code_wrong` (wrong, expired, used and never sent get the same answer), `code_burnt`, `phone_taken`.
 */
export async function verifyPhoneCode(
  deps: PhoneDeps,
  userId: string,
  given: { readonly phone: string; readonly code: string },
): Promise<void> {
  const now = deps.clock.now();
  try {
    const refused = await inTransaction(deps.db, async (tx) => {
      await lockUser(tx, userId);
      await lockNumber(tx, given.phone);
      const challenge = await lockOpenCode(tx, userId, given.phone);
      if (!challenge) return 'phone_code_wrong' as const;
      const decision = decideTry(challenge, now);
      if (decision !== 'compare') return decision === 'burnt' ? 'code_burnt' : 'phone_code_wrong';
      if (!timingSafeEqual(challenge.code_hmac, hmacOf(deps.vault, challenge.id, given.code))) {
        await countPhoneTry(tx, challenge.id);
        const isLast = challenge.attempts + 1 >= limits.verificationCode.attemptsPerChallenge;
        return isLast ? 'code_burnt' : 'phone_code_wrong';
      }
      await markCodeUsed(tx, challenge.id, now);
      const lastDay = (await getUser(tx, userId)).trial_ends_at;
      await setPhone(tx, deps.vault, userId, given.phone, now);
      if (lastDay && lastDay > now && !isInTrial(await getUser(tx, userId), now))
        await beginWaiting(tx, new Map([[userId, lastDay]]), now);
      await deps.bus.announce(tx, accountChanged, { userId });
      return undefined;
    });
    if (refused) throw new Refusal(refused);
  } catch (error) {
    if (violatedConstraint(error) === 'users_phone_key') throw new Refusal('phone_taken');
    throw error;
  }
}

function hmacOf(vault: Vault, challengeId: string, code: string): Buffer {
  return vault.hmac('phone-code', `${challengeId}.${code}`);
}

import type { DeliveryKind } from '@raha/contract/deliveries.ts';
import { limits } from '@raha/contract/limits.ts';
import { panelPaths } from '@raha/contract/panel-paths.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction, type Tx } from '../../platform/database.ts';
import { sendEmail } from '../../platform/email.ts';
import type { Jobs } from '../../platform/jobs.ts';
import { newDigits, newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { getSetting } from '../../platform/settings.ts';
import { canonicalAddress } from '../accounts/canonical-address.ts';
import { findByEmail } from '../accounts/users.ts';
import { brandName } from '../site/settings.ts';
import type { Device } from './device.ts';
import { codeMail, type EmailContent } from './mails.ts';
import { ANONYMOUS, browserRequester } from './requester.ts';
import { decideSend, decideStrangers, type Requester } from './rules.ts';
import { type ChallengePurpose, insertChallenge, lockAddress, selectChallengeTimes, sumWrongCodes } from './tables.ts';

export interface SendCodeDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly jobs: Jobs;
  readonly publicUrl: string;
}

export interface CodeRequest {
  readonly email: string;
  readonly purpose: ChallengePurpose;
  /** Whose account it is about; undefined if the address has none. */
  readonly userId: string | undefined;
  readonly requester: Requester;
  /** False: the same work, but the mail is dropped. */
  readonly isWanted?: boolean;
  /** Mailed instead of the code, which then nobody gets to know. */
  readonly mail?: ((brand: string) => EmailContent) | undefined;
  /** Done last in its transaction. */
  readonly record?: ((tx: Tx) => Promise<void>) | undefined;
}

export interface SentCode {
  readonly retryAfterSeconds: number;
  readonly digits: number;
}

const kinds: Readonly<Record<ChallengePurpose, DeliveryKind>> = {
  'sign-in': 'sign_in_code',
  'verify-email': 'verify_email_code',
  'change-email': 'change_email_code',
  confirm: 'confirm_code',
  console: 'console_code',
};

/**
 * Mails a new code, which only its requester can use; an earlier code of the same requester stops working. Six digits;
 * eight for unknown requesters while codes are being guessed. Allowances are per mailbox, whatever the spelling of its
 * address. Does the same work and gives the same answer for known and unknown addresses. Refuses `code_too_soon`, and
 * `too_many_requests` while unknown requesters are paused.
 */
export async function sendCode(
  deps: SendCodeDeps,
  { email, purpose, userId, requester, isWanted = true, mail: otherMail, record }: CodeRequest,
): Promise<SentCode> {
  const now = deps.clock.now();
  const canonicalEmail = canonicalAddress(email);
  const digits = requester.isKnown ? limits.verificationCode.digits : await refusePaused(deps.db, now);
  const code = newDigits(digits);
  await inTransaction(deps.db, async (tx) => {
    await lockAddress(tx, email);
    // The second lock is always the mailbox's, so that two spellings never wait for each other.
    await lockAddress(tx, canonicalEmail);
    const times = await selectChallengeTimes(tx, canonicalEmail, requester, addSeconds(now, -86_400));
    const decision = decideSend(times, now);
    if (decision.kind === 'too-soon') {
      throw new Refusal('code_too_soon', {
        details: { seconds: decision.waitSeconds },
        retryAfterSeconds: decision.waitSeconds,
      });
    }
    const id = newId(now);
    await insertChallenge(tx, {
      id,
      email,
      canonicalEmail,
      purpose,
      requester,
      codeHmac: codeHmac(deps.vault, id, code),
      createdAt: now,
      expiresAt: addSeconds(now, limits.verificationCode.lifetimeSeconds),
    });
    const link = linkOf(deps, { email, purpose, requester }, code);
    const brand = await getSetting(tx, brandName);
    const mail = otherMail ? otherMail(brand) : codeMail(brand, code, purpose, link);
    const about = { kind: otherMail ? 'account_exists' : kinds[purpose], userId } as const;
    await deps.jobs.send(tx, sendEmail, { to: email, ...mail, about, ...(isWanted ? {} : { isWanted: false }) });
    await record?.(tx);
  });
  return { retryAfterSeconds: limits.verificationCode.resendAfterSeconds, digits };
}

/** The specification knows six digits only, so another length is said and six is not. */
export function describeSent({ retryAfterSeconds, digits }: SentCode): { retry_after: number; code_length?: number } {
  const isUsual = digits === limits.verificationCode.digits;
  return { retry_after: retryAfterSeconds, ...(isUsual ? {} : { code_length: digits }) };
}

/** The digits of codes for unknown browsers now. Refuses `too_many_requests` while they are paused. */
export async function refusePaused(db: Executor, now: Date): Promise<number> {
  const { digits, isPaused } = decideStrangers(await sumWrongCodes(db, addSeconds(now, -3600)));
  const seconds = limits.verificationCode.pauseSeconds;
  if (isPaused) throw new Refusal('too_many_requests', { details: { seconds }, retryAfterSeconds: seconds });
  return digits;
}

/** The code for signing in to an address, known or not. */
export async function sendSignInCode(deps: SendCodeDeps, email: string, device: Device): Promise<SentCode> {
  const user = await findByEmail(deps.db, email);
  const requester = await browserRequester(deps.db, device, user?.id);
  return await sendCode(deps, { email, purpose: 'sign-in', userId: user?.id, requester });
}

/** HMAC of challenge and code, so that a leaked table reveals no codes (ASVS 6.5.2). */
export function codeHmac(vault: Vault, challengeId: string, code: string): Buffer {
  return vault.hmac('verification-code', `${challengeId}.${code}`);
}

/**
 * The link that stands beside the code in the mail; it is worth as much, and for as long. The one for signing in carries its
 * token behind the `#`, which no browser sends to a server: fetching the address uses nothing up. It is for browsers only,
 * since programs without our cookie cannot be told apart.
 */
function linkOf(
  deps: Pick<SendCodeDeps, 'vault' | 'publicUrl'>,
  { email, purpose, requester }: Pick<CodeRequest, 'email' | 'purpose' | 'requester'>,
  code: string,
): string | undefined {
  const token = () => deps.vault.seal(JSON.stringify([email, code]), linkContext(purpose));
  if (purpose === 'verify-email') return `${deps.publicUrl}${panelPaths.verifyEmail}?token=${token()}`;
  if (purpose === 'sign-in' && requester.key !== ANONYMOUS)
    return `${deps.publicUrl}${panelPaths.signIn}#link=${token()}`;
  return undefined;
}

/** The address and the code out of a link's token; undefined if it is none of ours for this purpose. */
export function readLinkToken(
  vault: Vault,
  purpose: ChallengePurpose,
  token: string,
): { email: string; code: string } | undefined {
  try {
    const [email, code] = JSON.parse(vault.open(token, linkContext(purpose))) as [string, string];
    return { email, code };
  } catch {
    return undefined;
  }
}

function linkContext(purpose: ChallengePurpose): string {
  return `${purpose}-link`;
}

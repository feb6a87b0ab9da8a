import { limits } from '@raha/contract/limits.ts';
import { now } from '../../../api/clock.ts';

/** A code that was mailed for an address, so that a reload or the way here does not send another. Never the code itself. */
export interface MailedCode {
  readonly email: string;
  /** When it was sent, in milliseconds since the epoch. */
  readonly sentAt: number;
  /** How many digits it has. */
  readonly digits: number;
}

const KEY = 'verify-email';

export function keepMailedCode(email: string, digits: number = limits.verificationCode.digits): MailedCode {
  const mailed = { email, sentAt: now(), digits };
  sessionStorage.setItem(KEY, JSON.stringify(mailed));
  return mailed;
}

export function readMailedCode(email: string): MailedCode | undefined {
  return parseMailedCode(sessionStorage.getItem(KEY), email, now());
}

export function forgetMailedCode(): void {
  sessionStorage.removeItem(KEY);
}

/** The stored code when it is this address's and has not run out yet. */
export function parseMailedCode(stored: string | null, email: string, at: number): MailedCode | undefined {
  try {
    const mailed = JSON.parse(stored ?? '') as Partial<MailedCode>;
    if (mailed.email !== email || typeof mailed.sentAt !== 'number') return undefined;
    const isGood = at - mailed.sentAt < limits.verificationCode.lifetimeSeconds * 1000;
    const { digits = limits.verificationCode.digits } = mailed;
    return isGood ? { email, sentAt: mailed.sentAt, digits } : undefined;
  } catch {
    return undefined;
  }
}

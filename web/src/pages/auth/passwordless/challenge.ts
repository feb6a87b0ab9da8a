import { limits } from '@raha/contract/limits.ts';

/** The address a code was sent to, so that a reload stays at the same step. The code itself is never kept. */
export interface Challenge {
  readonly email: string;
  /** When another code may be asked for, in milliseconds since the epoch. */
  readonly resendAt: number;
  /** How many digits the code has. */
  readonly digits: number;
}

const KEY = 'sign-in';

export function readChallenge(): Challenge | undefined {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '');
    const { email, resendAt, digits = limits.verificationCode.digits } = stored as Partial<Challenge>;
    return typeof email === 'string' && typeof resendAt === 'number' ? { email, resendAt, digits } : undefined;
  } catch {
    return undefined;
  }
}

export function keepChallenge(challenge: Challenge): void {
  sessionStorage.setItem(KEY, JSON.stringify(challenge));
}

export function forgetChallenge(): void {
  sessionStorage.removeItem(KEY);
}

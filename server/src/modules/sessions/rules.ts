import { limits } from '@raha/contract/limits.ts';

const { verificationCode, session } = limits;

/** How much the clocks of two servers may differ. A time further ahead comes from a clock that was wrong. */
const SLACK_MS = 60_000;

/**
 * False for a time that only a clock running ahead can have written: such a row must neither be valid nor make anybody
 * wait.
 */
export function hasHappened(instant: Date, now: Date): boolean {
  return instant.getTime() <= latestStart(now).getTime();
}

export function latestStart(now: Date): Date {
  return new Date(now.getTime() + SLACK_MS);
}

/** Not expired, and not longer than any session lasts, which only a clock running ahead can have written. */
export function isSessionAlive(expiresAt: Date, now: Date): boolean {
  return expiresAt.getTime() > now.getTime() && expiresAt.getTime() < latestEnd(now).getTime();
}

/** The latest possible end of a session that begins now; one day more, for clocks set back a little. */
export function latestEnd(now: Date): Date {
  return new Date(now.getTime() + (session.rememberMeDays + 1) * 86_400_000);
}

/** How long a password session lasts. */
export function passwordSessionDays(rememberMe: boolean): number {
  return rememberMe ? session.rememberMeDays : session.passwordDays;
}

export type SendDecision = { readonly kind: 'send' } | { readonly kind: 'too-soon'; readonly waitSeconds: number };

/**
 * Decides whether another code may be sent to an address, from the times of the earlier ones (newest first). The same
 * for known and unknown addresses: one a minute per requester; five an hour and ten a day for all unknown requesters
 * together, and as many for each session and each browser known to the account.
 */
export function decideSend(
  earlier: { readonly own: readonly Date[]; readonly shared: readonly Date[] },
  now: Date,
): SendDecision {
  const happened = (instants: readonly Date[]) => instants.filter((instant) => hasHappened(instant, now));
  const [own, shared] = [happened(earlier.own), happened(earlier.shared)];
  const age = (instant: Date) => (now.getTime() - instant.getTime()) / 1000;
  const windows: [readonly Date[], number, number][] = [
    [own, 1, verificationCode.resendAfterSeconds],
    [shared, verificationCode.perAddressPerHour, 3600],
    [shared, verificationCode.perAddressPerDay, 86_400],
  ];
  let waitSeconds = 0;
  for (const [sent, allowed, seconds] of windows) {
    const last = sent[allowed - 1];
    if (last && age(last) < seconds) waitSeconds = Math.max(waitSeconds, Math.ceil(seconds - age(last)));
  }
  return waitSeconds > 0 ? { kind: 'too-soon', waitSeconds } : { kind: 'send' };
}

/**
 * What unknown browsers get while codes are being guessed, from the number of their wrong codes on the whole site within
 * an hour: a code of six digits, of eight, or none (audit S7).
 */
export function decideStrangers(wrongPerHour: number): { readonly digits: number; readonly isPaused: boolean } {
  const { digits, longDigits, longFromWrongPerHour, pauseFromWrongPerHour } = verificationCode;
  return {
    digits: wrongPerHour < longFromWrongPerHour ? digits : longDigits,
    isPaused: wrongPerHour >= pauseFromWrongPerHour,
  };
}

export type TryDecision = 'compare' | 'burnt' | 'expired';

/** Whether a code may still be compared: five attempts per challenge, for ten minutes. */
export function decideTry(challenge: { attempts: number; created_at: Date; expires_at: Date }, now: Date): TryDecision {
  if (challenge.expires_at.getTime() <= now.getTime() || !hasHappened(challenge.created_at, now)) return 'expired';
  if (challenge.attempts >= verificationCode.attemptsPerChallenge) return 'burnt';
  return 'compare';
}

export type RefreshDecision =
  | { readonly kind: 'rotate' }
  /** A second tab, or a lost answer: the replacement already issued is returned again. */
  | { readonly kind: 'repeat' }
  /** An older token has probably been stolen: the whole family ends. */
  | { readonly kind: 'reuse' }
  | { readonly kind: 'ended' };

/** Decides about a presented refresh token (RFC 9700, section 4.14.2; grace for concurrent tabs). */
export function decideRefresh(
  token: {
    readonly token_generation: number;
    readonly generation: number;
    readonly rotated_at: Date | null;
    readonly replacement_sealed: string | null;
    readonly expires_at: Date;
    readonly ended_at: Date | null;
  },
  now: Date,
): RefreshDecision {
  if (token.ended_at || !isSessionAlive(token.expires_at, now)) return { kind: 'ended' };
  if (token.token_generation === token.generation) return { kind: 'rotate' };
  const fresh =
    token.token_generation === token.generation - 1 &&
    token.rotated_at !== null &&
    token.replacement_sealed !== null &&
    now.getTime() - token.rotated_at.getTime() <= session.refreshGraceSeconds * 1000;
  return { kind: fresh ? 'repeat' : 'reuse' };
}

/** Minutes to wait after too many failures within a window; undefined if another attempt is allowed. */
export function waitMinutes(
  failures: readonly Date[],
  rule: { readonly allowed: number; readonly windowMinutes: number },
  now: Date,
): number | undefined {
  const window = rule.windowMinutes * 60_000;
  const recent = failures
    .filter((at) => now.getTime() - at.getTime() < window && hasHappened(at, now))
    .sort((a, b) => b.getTime() - a.getTime());
  const oldest = recent[rule.allowed - 1];
  return oldest && Math.max(1, Math.ceil((oldest.getTime() + window - now.getTime()) / 60_000));
}

/**
 * The origin of a code or password. Codes belong to the requester that asked for them, and failures are counted per
 * requester, so nobody can use up another's codes or attempts (audit S4).
 */
export interface Requester {
  /** `session:<id>`, `browser:<hash of its cookie>`, or `anonymous` for programs that keep no cookies. */
  readonly key: string;
  /** A live session of the account, or a browser that has signed in to it before. */
  readonly isKnown: boolean;
}

export const STRANGERS = 'stranger';

/** Unknown requesters share one count: a new browser for every attempt gains nothing. */
export function bucketOf({ key, isKnown }: Requester): string {
  return isKnown ? key : STRANGERS;
}

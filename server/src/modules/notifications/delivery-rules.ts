import type { DeliveryKind, DeliveryReason, DeliveryState } from '@raha/contract/deliveries.ts';

/** What became of one attempt. `code`: the number in the answer of the mail server or provider. */
export type Outcome =
  | { readonly state: 'sent' }
  | {
      readonly state: Exclude<DeliveryState, 'sent'>;
      readonly reason: DeliveryReason;
      readonly code?: number | undefined;
    };

/** By nodemailer's names of failures, and Node's. What is not here is `other`: no text of a failure is ever kept. */
const mailFailures: Readonly<Record<string, DeliveryReason>> = {
  EAUTH: 'sign_in',
  ENOAUTH: 'sign_in',
  EOAUTH2: 'sign_in',
  ETLS: 'tls',
  EREQUIRETLS: 'tls',
  ETIMEDOUT: 'timeout',
  ECONNECTION: 'unreachable',
  EDNS: 'unreachable',
  ESOCKET: 'unreachable',
  ECONNREFUSED: 'unreachable',
  ECONNRESET: 'unreachable',
  ENOTFOUND: 'unreachable',
  EENVELOPE: 'refused',
};

/** A mail that the mail server did not take is tried again, until the last attempt. */
export function decideMailFailure(error: unknown, isLast: boolean): Outcome {
  const { code: name, responseCode } = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly code?: unknown;
    readonly responseCode?: unknown;
  };
  // RFC 5321, 4.2.1: 4yz is for now, 5yz for good.
  const code = isReply(responseCode) ? responseCode : undefined;
  const known = typeof name === 'string' ? mailFailures[name] : undefined;
  const answered = code === undefined ? undefined : code < 500 ? 'busy' : 'refused';
  const reason = known === 'sign_in' || known === 'tls' ? known : (answered ?? known ?? 'other');
  return { state: isLast ? 'given_up' : 'waiting', reason, code };
}

function isReply(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 400 && (value as number) < 600;
}

/** What the sender of text messages answered, as `platform/sms.ts` has it. */
export interface SmsAnswer {
  readonly kind: 'sent' | 'refused' | 'busy' | 'unknown';
  readonly code?: number | undefined;
}

export function decideSmsOutcome(result: SmsAnswer, isLast: boolean): Outcome {
  if (result.kind === 'sent') return { state: 'sent' };
  if (result.kind === 'unknown') return { state: 'uncertain', reason: 'no_answer' };
  if (result.kind === 'refused') return { state: 'failed', reason: 'refused', code: result.code };
  return { state: isLast ? 'given_up' : 'waiting', reason: 'busy', code: result.code };
}

/** Kinds with a code or link, of which a new one can be made. */
const renewed: readonly DeliveryKind[] = [
  'sign_in_code',
  'verify_email_code',
  'change_email_code',
  'confirm_code',
  'phone_code',
  'password_link',
];

/** Whether a message can be sent again, as far as its row says. Content is kept of none, so all others cannot. */
export function isResendable(delivery: {
  readonly kind: DeliveryKind;
  readonly state: DeliveryState;
  readonly userId: string | null;
  readonly notificationId: string | null;
}): boolean {
  if (delivery.userId === null || delivery.state === 'waiting') return false;
  return delivery.notificationId !== null || renewed.includes(delivery.kind);
}

const MINUTE_MS = 60_000;
const PER_DAY = 5;

/** How long until a notification may be sent again, from when that was done before, newest first: once a minute, five times a day. */
export function resendWaitSeconds(earlier: readonly Date[], now: Date): number {
  const age = (instant: Date | undefined) => (instant ? now.getTime() - instant.getTime() : Number.POSITIVE_INFINITY);
  const wait = Math.max(MINUTE_MS - age(earlier[0]), 1_440 * MINUTE_MS - age(earlier[PER_DAY - 1]));
  return Math.max(0, Math.ceil(wait / 1_000));
}

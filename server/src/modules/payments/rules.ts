import { limits } from '@raha/contract/limits.ts';

/** What a gateway answers to verify. A time-out or an unreadable answer is `unknown`, never a failure. */
export type VerifyResult =
  | { readonly kind: 'paid'; readonly refId: string; readonly cardMask: string | undefined; readonly evidence: unknown }
  | { readonly kind: 'not-paid'; readonly evidence: unknown }
  /** Paid, but not this amount or not ours: a person has to look. */
  | { readonly kind: 'mismatch'; readonly evidence: unknown }
  | { readonly kind: 'unknown'; readonly reason: string };

export type InquiryResult = 'in-bank' | 'paid' | 'verified' | 'failed' | 'reversed' | 'unknown';

export type PaymentState = 'created' | 'redirected' | 'completed' | 'failed' | 'cancelled' | 'needs_review';

export type Settlement =
  | {
      readonly kind: 'credit';
      readonly refId: string;
      readonly cardMask: string | undefined;
      readonly evidence: unknown;
    }
  | { readonly kind: 'close'; readonly state: 'failed' | 'cancelled' | 'needs_review'; readonly evidence: unknown }
  /** Not final: ask again later. */
  | { readonly kind: 'wait' };

/**
 * What the gateway's own words mean for a payment. Only a verified payment is credited; only a definite "no" closes one:
 * the payer said no (`returned: 'nok'`), the gateway calls it failed, or the last check has passed.
 */
export function decideSettlement(
  verified: VerifyResult,
  inquiry: InquiryResult,
  context: { readonly returned: 'ok' | 'nok' | undefined; readonly lastCheck: boolean },
): Settlement {
  if (verified.kind === 'paid') return { ...verified, kind: 'credit' };
  if (verified.kind === 'mismatch') return { kind: 'close', state: 'needs_review', evidence: verified.evidence };
  if (verified.kind === 'unknown') return { kind: 'wait' };
  if (inquiry === 'reversed' || inquiry === 'failed') {
    return { kind: 'close', state: context.returned === 'nok' ? 'cancelled' : 'failed', evidence: verified.evidence };
  }
  if (inquiry === 'paid' || inquiry === 'verified') return { kind: 'wait' };
  if (context.returned === 'nok') return { kind: 'close', state: 'cancelled', evidence: verified.evidence };
  return context.lastCheck ? { kind: 'close', state: 'failed', evidence: verified.evidence } : { kind: 'wait' };
}

/** Whether a decision may still change a payment: a late success is credited even after we gave up. */
export function maySettle(state: PaymentState, settlement: Settlement): boolean {
  if (state === 'completed' || state === 'needs_review') return false;
  if (state === 'failed' || state === 'cancelled') return settlement.kind === 'credit';
  return settlement.kind !== 'wait';
}

/** When a payment is asked about next, after `checks` questions: 15 s, 1, 5, 15 min, 1, 6, 24, 72 h from its start. */
export function nextCheckAt(createdAt: Date, checks: number): Date | undefined {
  const seconds = limits.payment.reconcileAfterSeconds[checks];
  return seconds === undefined ? undefined : new Date(createdAt.getTime() + seconds * 1000);
}

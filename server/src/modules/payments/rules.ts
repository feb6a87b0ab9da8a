import { limits } from '@raha/contract/limits.ts';

/** What a gateway answers to verify. A timeout or an unreadable answer is `unknown`, never a failure. */
export type VerifyResult =
  | { readonly kind: 'paid'; readonly refId: string; readonly cardMask: string | undefined; readonly evidence: unknown }
  /** `known` if the answer itself gives the payment's state; otherwise the inquiry is asked. */
  | { readonly kind: 'not-paid'; readonly evidence: unknown; readonly known?: InquiryResult }
  /** Paid, but not this amount or not ours: the operator has to review it. */
  | { readonly kind: 'mismatch'; readonly evidence: unknown }
  | { readonly kind: 'unknown'; readonly reason: string };

export type InquiryResult = 'in-bank' | 'paid' | 'verified' | 'failed' | 'cancelled' | 'reversed' | 'unknown';

export type PaymentState = 'created' | 'redirected' | 'completed' | 'failed' | 'cancelled' | 'needs_review';

export type Settlement =
  | {
      readonly kind: 'credit';
      readonly refId: string;
      readonly cardMask: string | undefined;
      readonly evidence: unknown;
    }
  | { readonly kind: 'close'; readonly state: 'failed' | 'cancelled' | 'needs_review'; readonly evidence: unknown }
  /** Not final: check again later. */
  | { readonly kind: 'wait' };

/**
 * What the gateway's answers mean for a payment. Only a verified payment is credited. Only a definite "no" closes one:
 * the payer cancelled (`returned: 'nok'`), the gateway reports a failure, or the last check has passed.
 */
export function decideSettlement(
  verified: VerifyResult,
  inquiry: InquiryResult,
  context: { readonly returned: 'ok' | 'nok' | undefined; readonly lastCheck: boolean },
): Settlement {
  if (verified.kind === 'paid') return { ...verified, kind: 'credit' };
  if (verified.kind === 'mismatch') return { kind: 'close', state: 'needs_review', evidence: verified.evidence };
  if (verified.kind === 'unknown') return { kind: 'wait' };
  if (inquiry === 'cancelled') return { kind: 'close', state: 'cancelled', evidence: verified.evidence };
  if (inquiry === 'reversed' || inquiry === 'failed') {
    return { kind: 'close', state: context.returned === 'nok' ? 'cancelled' : 'failed', evidence: verified.evidence };
  }
  if (inquiry === 'paid' || inquiry === 'verified') return { kind: 'wait' };
  if (context.returned === 'nok') return { kind: 'close', state: 'cancelled', evidence: verified.evidence };
  return context.lastCheck ? { kind: 'close', state: 'failed', evidence: verified.evidence } : { kind: 'wait' };
}

/**
 * Whether a decision may still change a payment: money that arrives late is credited or reviewed, even after we gave
 * up.
 */
export function maySettle(state: PaymentState, settlement: Settlement): boolean {
  if (state === 'completed' || state === 'needs_review' || settlement.kind === 'wait') return false;
  const isMoney = settlement.kind === 'credit' || settlement.state === 'needs_review';
  return isMoney || (state !== 'failed' && state !== 'cancelled');
}

/**
 * Adjusts a decision for a payment that the operator has closed. Money that the bank then reports goes before the
 * operator again, who knows whether it was sent back by hand; after a second verdict it changes nothing.
 */
export function applyVerdicts(settlement: Settlement, verdicts: number): Settlement {
  if (verdicts === 0) return settlement;
  if (verdicts > 1) return { kind: 'wait' };
  return settlement.kind === 'credit'
    ? { kind: 'close', state: 'needs_review', evidence: settlement.evidence }
    : settlement;
}

/** A credit to an account that was deleted meanwhile goes before the operator, because nobody could spend it. */
export function applyOwner(settlement: Settlement, isDeleted: boolean): Settlement {
  if (settlement.kind !== 'credit' || !isDeleted) return settlement;
  const evidence = { reason: 'the account was deleted', bank: settlement.evidence };
  return { kind: 'close', state: 'needs_review', evidence };
}

/**
 * The reference of a payment whose bank number is already credited to another payment: that number with our own id
 * added. No bank knows this form.
 */
export function secondReference(refId: string, paymentId: string): string {
  return `${refId}/${paymentId}`;
}

export function isSecondReference(refId: string, paymentId: string): boolean {
  return refId.endsWith(`/${paymentId}`);
}

/** When a payment is checked next, after `checks` checks: 15 s, 1, 5, 15 min, 1, 6, 24, 72 h from its start. */
export function nextCheckAt(createdAt: Date, checks: number): Date | undefined {
  const seconds = limits.payment.reconcileAfterSeconds[checks];
  return seconds === undefined ? undefined : new Date(createdAt.getTime() + seconds * 1000);
}

/** The next check of a payment: the first of its check times after now. */
export function checkAfter(createdAt: Date, now: Date): Date | undefined {
  const age = now.getTime() - createdAt.getTime();
  const checks = limits.payment.reconcileAfterSeconds.findIndex((seconds) => seconds * 1000 > age);
  return checks < 0 ? undefined : nextCheckAt(createdAt, checks);
}

/**
 * When a payment credited now is first checked for a reversal. Banks reverse payments with a delay, so it is the first
 * of the payment's check times at least half an hour away, or in a day if all have passed.
 */
export function reversalCheckAfter(createdAt: Date, now: Date): Date {
  return checkAfter(createdAt, new Date(now.getTime() + 1_800_000)) ?? new Date(now.getTime() + 86_400_000);
}

/** What a gateway answers to a refund. */
export type RefundResult =
  | { readonly kind: 'confirmed'; readonly tracking: string | undefined; readonly evidence: unknown }
  /** Accepted under a tracking number and not paid out yet: it is looked up, and never requested again. */
  | { readonly kind: 'accepted'; readonly tracking: string; readonly evidence: unknown }
  /** A definite no: nothing was sent. */
  | { readonly kind: 'failed'; readonly reason: string; readonly evidence: unknown }
  /** The gateway has no call for this refund: the operator sends it. */
  | { readonly kind: 'by-hand'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** What a gateway knows about an earlier refund; `not-done` means that it may be requested again. */
export type RefundCheck =
  | { readonly kind: 'confirmed'; readonly tracking: string | undefined; readonly evidence: unknown }
  | { readonly kind: 'not-done' }
  | { readonly kind: 'unknown' };

export type RefundState = 'requested' | 'sent' | 'confirmed' | 'failed' | 'unknown';

/**
 * What a payment that its bank reports as reversed means. A refund of the whole payment that was sent explains it: the
 * bank's own call for that is a reversal. A refund of a part does not, because banks reverse only whole payments; nor does
 * one that was not sent yet, which must then not be sent any more.
 */
export function decideReversal(
  amountToman: bigint,
  refund: { state: RefundState; amountToman: bigint } | undefined,
): { kind: 'is-our-refund' } | { kind: 'book'; stopsRefund: boolean } {
  if (refund === undefined || refund.state === 'failed') return { kind: 'book', stopsRefund: false };
  if (refund.state === 'requested') return { kind: 'book', stopsRefund: true };
  return refund.amountToman === amountToman ? { kind: 'is-our-refund' } : { kind: 'book', stopsRefund: false };
}

/**
 * How debts, the oldest first, are paid from what a wallet holds: what is paid of all of them, what each debt that changes
 * becomes, and what is still owed afterwards.
 */
export function decideDebtPayments<D extends { owed_toman: bigint }>(
  debts: readonly D[],
  walletToman: bigint,
): { paid: bigint; left: D[]; rest: bigint } {
  let wallet = walletToman;
  const left: D[] = [];
  for (const debt of debts) {
    const part = debt.owed_toman < wallet ? debt.owed_toman : wallet;
    if (part === 0n) break;
    left.push({ ...debt, owed_toman: debt.owed_toman - part });
    wallet -= part;
  }
  const paid = walletToman - wallet;
  return { paid, left, rest: debts.reduce((sum, debt) => sum + debt.owed_toman, 0n) - paid };
}

/**
 * Where a balance came from. Card money cannot go to a bank; bound money is the part of it by which the account was
 * activated, and cannot be transferred either. Spending takes card money last, and of that bound money last.
 */
export interface Origin {
  readonly cardToman: bigint;
  readonly boundToman: bigint;
}

export const noCardMoney: Origin = { cardToman: 0n, boundToman: 0n };

/** What is left of card money in a balance: it shrinks only when all else is spent. */
export function originLeft({ cardToman, boundToman }: Origin, balanceToman: bigint): Origin {
  const atMost = (toman: bigint) => (toman < balanceToman ? toman : balanceToman > 0n ? balanceToman : 0n);
  return { cardToman: atMost(cardToman), boundToman: atMost(boundToman) };
}

export function addOrigins(a: Origin, b: Origin): Origin {
  return { cardToman: a.cardToman + b.cardToman, boundToman: a.boundToman + b.boundToman };
}

/** The card money after a credit, given what was counted at the credit before and the balance just before this one. */
export function originAfter(known: Origin, balanceBefore: bigint, credited: Origin): Origin {
  return addOrigins(originLeft(known, balanceBefore), credited);
}

/** The last moment at which a refund of a payment can be requested. */
export function refundableUntil(settledAt: Date): Date {
  return new Date(settledAt.getTime() + limits.payment.refundDays * 86_400_000);
}

/**
 * How much of a payment may be refunded now, in toman: it is completed, not older than the policy's days, has no open
 * refund and was not reversed by the bank; at most the bank money in the balance, and nothing below the smallest refund.
 */
export function decideRefundable(
  payment: { state: PaymentState; amountToman: bigint; settledAt: Date | null },
  context: {
    balanceToman: bigint;
    /** The card money in that balance. */
    cardToman: bigint;
    minToman: bigint;
    refund: RefundState | undefined;
    reversed: boolean;
    now: Date;
  },
): bigint {
  if (payment.state !== 'completed' || !payment.settledAt || context.reversed) return 0n;
  if (context.refund !== undefined && context.refund !== 'failed') return 0n;
  if (context.now > refundableUntil(payment.settledAt)) return 0n;
  const bank = context.balanceToman - context.cardToman;
  const most = payment.amountToman < bank ? payment.amountToman : bank;
  return most < context.minToman ? 0n : most;
}

/** A gateway's calls in the last minutes. */
export interface GatewayCalls {
  readonly calls: number;
  readonly unanswered: number;
  readonly totalMs: number;
}

/**
 * `off` if half of the calls were not answered; `slow` if a fifth were not or answers take long. A few calls prove
 * nothing.
 */
export function decideHealth({ calls, unanswered, totalMs }: GatewayCalls): 'good' | 'slow' | 'off' {
  if (calls < limits.payment.healthCalls) return 'good';
  if (unanswered * 2 >= calls) return 'off';
  return unanswered * 5 >= calls || totalMs > calls * limits.payment.slowMs ? 'slow' : 'good';
}

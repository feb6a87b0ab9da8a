import { type Actor, type Audit, describeActor } from '../../platform/audit.ts';
import { inTransaction, type Tx, violatedConstraint } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { lockUser } from '../accounts/users.ts';
import { fundsAdded } from '../ledger/jobs.ts';
import { balanceChanged } from '../ledger/signals.ts';
import { announcePayment, type ConfirmDeps, credit, issueReceipt } from './confirm-payment.ts';
import { refuseMember } from './refuse-member.ts';
import { reversalCheckAfter, secondReference } from './rules.ts';
import {
  isWaiting,
  lockPayment,
  type PaymentRow,
  selectPayment,
  selectPaymentByReference,
  selectPaymentsToReview,
  updateReviewed,
} from './tables.ts';

type Deps = Pick<ConfirmDeps, 'db' | 'clock' | 'jobs' | 'bus' | 'log' | 'notifier' | 'vault'> & {
  readonly audit: Audit;
};

export interface CreditAllowed {
  readonly limitToman: bigint;
  readonly proposal?: { readonly id: string; readonly proposedBy: string; readonly alone: boolean } | undefined;
}

/**
 * The operator's finding on a payment that needs review: its amount or owner differed, its reference was credited to
 * another payment before, or no bank answered for it. After "failed", the bank's answer can only put it before the
 * operator again, once.
 */
export interface ReviewVerdict {
  readonly paymentId: string;
  /** credited: the bank holds exactly this payment's money; failed: it does not, or it was sent back by hand. */
  readonly outcome: 'credited' | 'failed';
  readonly actor: Actor;
  /** Who found it out, for the evidence; a member is named by the session. */
  readonly operator?: string | undefined;
  readonly note: string;
  /** The bank's reference, needed to credit. */
  readonly refId?: string | undefined;
  /** The bank gave this reference twice, and holds the money of both payments. */
  readonly isSameReference?: boolean;
  /** Of a member who credits: the limit of this time, and the proposal that allows more. It is kept with the evidence. */
  readonly allowed?: CreditAllowed | undefined;
}

export type Reviewed =
  | { readonly kind: 'settled'; readonly payment: PaymentRow }
  | { readonly kind: 'not-waiting' }
  /** Nothing was changed: the owner's account is deleted, so the money has to be sent back. */
  | { readonly kind: 'account-deleted' }
  /** Nothing was changed: the reference is already credited to the payment `by`. */
  | { readonly kind: 'reference-taken'; readonly by: string };

export const listPaymentsToReview = selectPaymentsToReview;

/**
 * Settles a payment by the operator's verdict, once. One reference proves one payment: a second payment with the same
 * reference is credited only if the operator says so, under a reference that tells the two apart. Refuses a member
 * `staff_own_account`, and `forbidden` if they were disabled meanwhile.
 */
export async function reviewPayment(deps: Deps, verdict: ReviewVerdict): Promise<Reviewed> {
  const refId = verdict.outcome === 'credited' ? verdict.refId : undefined;
  try {
    return await inTransaction(deps.db, (tx) => settleVerdict(tx, deps, verdict, refId));
  } catch (error) {
    if (violatedConstraint(error) !== 'payment_gateway_ref_id_key' || refId === undefined) throw error;
    if (verdict.isSameReference) {
      const second = secondReference(refId, verdict.paymentId);
      return await inTransaction(deps.db, (tx) => settleVerdict(tx, deps, verdict, second));
    }
    const holder = await selectPaymentByReference(deps.db, verdict.paymentId, refId);
    if (!holder) throw error;
    return { kind: 'reference-taken', by: holder };
  }
}

/** The same in the caller's transaction. Of two who credit one reference at once, one is refused by the database. */
export async function settleInside(
  tx: Tx,
  deps: Omit<Deps, 'db' | 'log'>,
  verdict: ReviewVerdict & { readonly refId: string },
): Promise<Reviewed> {
  const { paymentId, refId, isSameReference } = verdict;
  const holder = await selectPaymentByReference(tx, paymentId, refId);
  if (holder && !isSameReference) return { kind: 'reference-taken', by: holder };
  return await settleVerdict(tx, deps, verdict, holder ? secondReference(refId, paymentId) : refId);
}

async function settleVerdict(
  tx: Tx,
  deps: Omit<Deps, 'db' | 'log'>,
  verdict: ReviewVerdict,
  refId: string | undefined,
): Promise<Reviewed> {
  const now = deps.clock.now();
  const isCredited = verdict.outcome === 'credited';
  const known = await selectPayment(tx, verdict.paymentId);
  const owner = known && (await lockUser(tx, known.user_id));
  const payment = await lockPayment(tx, verdict.paymentId);
  if (!payment) return { kind: 'not-waiting' };
  await refuseMember(tx, verdict.actor, payment.user_id, 'payments.settle');
  if (isCredited && owner?.status === 'deleted') return { kind: 'account-deleted' };
  const state = isCredited ? 'completed' : 'failed';
  const { allowed } = verdict;
  const given = { by: verdict.operator ?? describeActor(verdict.actor), note: verdict.note };
  const review = {
    ...given,
    ...(allowed && { limitToman: Number(allowed.limitToman), proposal: allowed.proposal?.id }),
  };
  const nextCheckAt = isCredited ? reversalCheckAfter(payment.created_at, now) : undefined;
  if (!(await updateReviewed(tx, payment.id, { state, refId, review, nextCheckAt }, now)))
    return { kind: 'not-waiting' };
  if (isCredited) {
    await credit(tx, deps, payment, now);
    await deps.jobs.send(tx, fundsAdded, { userId: payment.user_id });
    await deps.bus.announce(tx, balanceChanged, { userId: payment.user_id });
  }
  await announcePayment(deps, tx, payment, state);
  if (isCredited) await issueReceipt(tx, payment, now);
  const { actor, operator, note: reason, outcome } = verdict;
  const { id: proposal, ...deciders } = allowed?.proposal ?? {};
  const details = { outcome, ...(proposal && { proposal, ...deciders }) };
  const target = { kind: 'payment', id: payment.id } as const;
  const what = { action: 'payments.review', target, userId: payment.user_id, details } as const;
  await deps.audit.record(tx, actor, { ...what, operator, reason });
  return { kind: 'settled', payment };
}

/** Whether nothing but a verdict is missing. The payment and its owner are locked, in the order in which a verdict locks them. */
export async function lockWaiting(tx: Tx, paymentId: string): Promise<PaymentRow | undefined> {
  const known = await selectPayment(tx, paymentId);
  if (!known) return undefined;
  await lockUser(tx, known.user_id);
  const payment = await lockPayment(tx, paymentId);
  return payment && (await isWaiting(tx, paymentId)) ? payment : undefined;
}

/** Refuses what a verdict came to, unless it settled the payment. */
export function requireSettled(done: Reviewed): void {
  if (done.kind === 'not-waiting') throw new Refusal('payment_not_waiting');
  if (done.kind === 'account-deleted') throw new Refusal('payment_account_deleted');
  if (done.kind === 'reference-taken') throw new Refusal('payment_reference_taken', { details: { payment: done.by } });
}

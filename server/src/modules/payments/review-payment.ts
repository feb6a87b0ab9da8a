import { inTransaction } from '../../platform/database.ts';
import { announcePayment, type ConfirmDeps, credit } from './confirm-payment.ts';
import { lockPayment, type PaymentRow, selectPaymentsToReview, updateReviewed } from './tables.ts';

/**
 * What a person at the operator found out about a payment whose amount or owner differed, or that no bank answered for.
 * Against "failed" the bank can only bring it before a person again, once.
 */
export interface ReviewVerdict {
  readonly paymentId: string;
  /** credited: the bank holds exactly this payment's money; failed: it does not, or it was sent back by hand. */
  readonly outcome: 'credited' | 'failed';
  readonly operator: string;
  readonly note: string;
  /** The bank's reference, needed to credit. */
  readonly refId?: string | undefined;
}

export const listPaymentsToReview = selectPaymentsToReview;

/** Settles a payment by a person's word, once; undefined when it does not wait for anybody. */
export async function reviewPayment(
  deps: Pick<ConfirmDeps, 'db' | 'clock' | 'jobs' | 'bus' | 'notices'>,
  verdict: ReviewVerdict,
): Promise<PaymentRow | undefined> {
  return await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now();
    const payment = await lockPayment(tx, verdict.paymentId);
    if (!payment) return undefined;
    const { operator: by, note } = verdict;
    const isCredited = verdict.outcome === 'credited';
    const state = isCredited ? 'completed' : 'failed';
    const refId = isCredited ? verdict.refId : undefined;
    if (!(await updateReviewed(tx, payment.id, { state, refId, review: { by, note } }, now))) return undefined;
    if (isCredited) {
      await credit(tx, deps, payment, now);
      await deps.jobs.send(tx, 'service.restore', { userId: payment.user_id });
      await deps.bus.announce(tx, { topic: 'user', userId: payment.user_id, event: { type: 'balance' } });
    }
    await announcePayment(deps, tx, payment, state);
    return payment;
  });
}

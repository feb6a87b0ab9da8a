import { inTransaction } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { announcePayment, type ConfirmDeps, confirmPayment } from './confirm-payment.ts';
import { checkAfter } from './rules.ts';
import { lockPayment, selectPayment, updateClosed } from './tables.ts';

/**
 * Cancels a payment that has not been paid. The bank is asked first. If it took the money, the payment is credited and
 * the cancellation refused (`payment_not_cancellable`). A success that arrives later is still credited. Repeating it
 * changes nothing.
 */
export async function cancelPayment(deps: ConfirmDeps, userId: string, paymentId: string): Promise<void> {
  const known = await selectPayment(deps.db, paymentId);
  if (!known || known.user_id !== userId) throw new Refusal('not_found');
  if (known.state === 'cancelled') return;
  if (known.state === 'created' || known.state === 'redirected') await confirmPayment(deps, paymentId);
  await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now();
    const payment = await lockPayment(tx, paymentId);
    if (payment?.state === 'cancelled') return;
    if (payment?.state !== 'created' && payment?.state !== 'redirected') throw new Refusal('payment_not_cancellable');
    const nextCheckAt = checkAfter(payment.created_at, now);
    const evidence = { reason: 'cancelled by the user' };
    await updateClosed(tx, paymentId, { state: 'cancelled', failure: null, evidence, nextCheckAt }, now);
    await announcePayment(deps, tx, payment, 'cancelled');
  });
}

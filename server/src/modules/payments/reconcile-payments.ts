import { inTransaction } from '../../platform/database.ts';
import { type ConfirmDeps, confirmPayment } from './confirm-payment.ts';
import { checkForReversal } from './reverse-payment.ts';
import { checkAfter } from './rules.ts';
import { selectPaymentByGatewayReference, takeDuePayments, updateNextCheck } from './tables.ts';

/**
 * Checks every payment that is due: open ones, closed ones that may still have been paid, and credited ones that a bank
 * may have reversed. Any number of workers may run this at once. Check times that were missed count as one check.
 */
export async function reconcilePayments(deps: ConfirmDeps): Promise<number> {
  const now = deps.clock.now();
  const due = await inTransaction(deps.db, async (tx) => {
    const payments = await takeDuePayments(tx, now, 20);
    for (const payment of payments) {
      const next = checkAfter(payment.created_at, now);
      await updateNextCheck(tx, payment.id, payment.checks + 1, next);
    }
    return payments;
  });
  for (const payment of due) {
    const lastCheck = checkAfter(payment.created_at, now) === undefined;
    await one(deps, payment.id, async () => {
      if (payment.state === 'completed') await checkForReversal(deps, payment.id);
      else await confirmPayment(deps, payment.id, { lastCheck });
    });
  }
  return due.length;
}

/** An error on one payment is logged and does not stop the others: its next check is already scheduled. */
async function one(deps: ConfirmDeps, paymentId: string, ask: () => Promise<unknown>): Promise<void> {
  try {
    await ask();
  } catch (err) {
    deps.log.error({ err, payment: paymentId }, 'a payment was not settled');
  }
}

/** Finds payments that were paid but whose return never reached us, whatever state we have for them. */
export async function sweepUnverified(deps: ConfirmDeps): Promise<void> {
  for (const gateway of deps.gateways.values()) {
    for (const { gatewayReference } of await gateway.listUnverified()) {
      const payment = await selectPaymentByGatewayReference(deps.db, gateway.name, gatewayReference);
      if (payment) await one(deps, payment.id, () => confirmPayment(deps, payment.id));
    }
  }
}

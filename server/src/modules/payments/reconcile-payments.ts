import { inTransaction } from '../../platform/database.ts';
import { type ConfirmDeps, confirmPayment } from './confirm-payment.ts';
import { checkForReversal } from './reverse-payment.ts';
import { checkAfter } from './rules.ts';
import { selectPaymentByGatewayReference, takeDuePayments, updateNextCheck } from './tables.ts';

/**
 * Asks about every payment whose time has come: open ones, those that were given up and may have been paid all the same,
 * and credited ones that a bank may have taken back. Any number of workers may do this at once. Times that passed while
 * nobody asked are one question.
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

/** Trouble with one payment is logged, and takes no other's turn: their next time has been set already. */
async function one(deps: ConfirmDeps, paymentId: string, ask: () => Promise<unknown>): Promise<void> {
  try {
    await ask();
  } catch (err) {
    deps.log.error({ err, payment: paymentId }, 'a payment was not settled');
  }
}

/** Finds payments that were paid and whose return never reached us, whatever we think their state is. */
export async function sweepUnverified(deps: ConfirmDeps): Promise<void> {
  for (const gateway of deps.gateways.values()) {
    for (const { gatewayReference } of await gateway.listUnverified()) {
      const payment = await selectPaymentByGatewayReference(deps.db, gateway.name, gatewayReference);
      if (payment) await one(deps, payment.id, () => confirmPayment(deps, payment.id));
    }
  }
}

import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import { inTransaction } from '../../platform/database.ts';
import { type ConfirmDeps, confirmPayment } from './confirm-payment.ts';
import { checkForReversal } from './reverse-payment.ts';
import { checkAfter } from './rules.ts';
import { type PaymentRow, selectPaymentByGatewayReference, takeDuePayments, updateNextCheck } from './tables.ts';

/** How many payments of one gateway are checked at once. */
const AT_ONCE = 20;

/** Checks the payments of all gateways that are due, those of each gateway independently of the others. */
export async function reconcilePayments(deps: ConfirmDeps): Promise<number> {
  const counts = await Promise.all(paymentGateways.map((name) => reconcileGateway(deps, name)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Checks the payments of one gateway that are due: open ones, closed ones that may still have been paid, and credited
 * ones that the bank may have reversed. Any number of workers may run this at once. Check times that were missed count
 * as one check. Gateways are kept apart because a bank that does not answer holds each call until it times out.
 */
export async function reconcileGateway(deps: ConfirmDeps, name: GatewayName): Promise<number> {
  const now = deps.clock.now();
  const due = await inTransaction(deps.db, async (tx) => {
    const payments = await takeDuePayments(tx, name, now, AT_ONCE);
    for (const payment of payments) {
      const next = checkAfter(payment.created_at, now);
      await updateNextCheck(tx, payment.id, payment.checks + 1, next);
    }
    return payments;
  });
  await Promise.all(due.map((payment) => one(deps, payment.id, () => check(deps, payment, now))));
  return due.length;
}

async function check(deps: ConfirmDeps, payment: PaymentRow, now: Date): Promise<void> {
  const lastCheck = checkAfter(payment.created_at, now) === undefined;
  if (payment.state === 'completed') await checkForReversal(deps, payment.id);
  else await confirmPayment(deps, payment.id, { lastCheck });
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
  await Promise.all(paymentGateways.map((name) => sweepGateway(deps, name)));
}

export async function sweepGateway(deps: ConfirmDeps, name: GatewayName): Promise<void> {
  for (const { gatewayReference } of (await deps.gateways.get(name)?.listUnverified()) ?? []) {
    const payment = await selectPaymentByGatewayReference(deps.db, name, gatewayReference);
    if (payment) await one(deps, payment.id, () => confirmPayment(deps, payment.id));
  }
}

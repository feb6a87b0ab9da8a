import { inTransaction } from '../../platform/database.ts';
import { type ConfirmDeps, confirmPayment } from './confirm-payment.ts';
import { nextCheckAt } from './rules.ts';
import { selectPaymentByAuthority, takeDuePayments, updateNextCheck } from './tables.ts';

/** Asks about every payment whose time has come. Any number of workers may do this at once. */
export async function reconcilePayments(deps: ConfirmDeps): Promise<number> {
  const now = deps.clock.now();
  const due = await inTransaction(deps.db, async (tx) => {
    const payments = await takeDuePayments(tx, now, 20);
    for (const payment of payments) {
      const checks = payment.checks + 1;
      await updateNextCheck(tx, payment.id, checks, nextCheckAt(payment.created_at, checks));
    }
    return payments;
  });
  for (const payment of due) {
    const lastCheck = nextCheckAt(payment.created_at, payment.checks + 1) === undefined;
    await confirmPayment(deps, payment.id, { lastCheck });
  }
  return due.length;
}

/** Finds payments that were paid and whose return never reached us, whatever we think their state is. */
export async function sweepUnverified(deps: ConfirmDeps): Promise<void> {
  for (const gateway of deps.gateways.values()) {
    for (const { authority } of await gateway.listUnverified()) {
      const payment = await selectPaymentByAuthority(deps.db, gateway.name, authority);
      if (payment) await confirmPayment(deps, payment.id);
    }
  }
}

import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction, type Tx } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import type { Notifier } from '../../platform/notifications.ts';
import { gatewayClearing, house } from '../ledger/house.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { balanceChanged } from '../ledger/signals.ts';
import { lockAccounts } from '../ledger/user-accounts.ts';
import type { Gateway } from './gateway.ts';
import type { PaymentNotifications } from './notifications.ts';
import { selectLatestRefunds } from './refund-tables.ts';
import { insertReversal, lockOwed, selectReversed, updateOwed } from './reversal-tables.ts';
import { lockPayment, selectPayment } from './tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly notifier: Notifier<PaymentNotifications>;
  readonly gateways: ReadonlyMap<GatewayName, Gateway>;
}

/**
 * Checks whether the bank has reversed a credited payment on its own, and books it once: the whole amount goes back to
 * the bank, and what the wallet no longer holds becomes a debt taken from the next charges. A payment that we refunded
 * is skipped, because there the reversal is the refund; a failed refund does not count.
 */
export async function checkForReversal(deps: Deps, paymentId: string): Promise<void> {
  const payment = await selectPayment(deps.db, paymentId);
  const gateway = payment && deps.gateways.get(payment.gateway);
  if (!gateway || payment.state !== 'completed' || !payment.gateway_reference) return;
  if (await isGoingBack(deps.db, payment.id)) return;
  const { id, gateway_reference: gatewayReference, amount_toman } = payment;
  const inquiry = await gateway.inquire({ paymentId: id, gatewayReference, amountToman: Number(amount_toman) });
  if (inquiry === 'reversed') await inTransaction(deps.db, (tx) => bookReversal(deps, tx, paymentId, { inquiry }));
}

async function bookReversal(deps: Deps, tx: Tx, paymentId: string, evidence: unknown): Promise<void> {
  const now = deps.clock.now();
  const payment = await lockPayment(tx, paymentId);
  if (payment?.state !== 'completed') return;
  if ((await isGoingBack(tx, paymentId)) || (await selectReversed(tx, [paymentId])).size > 0) return;
  const accounts = (await lockAccounts(tx, [payment.user_id])).get(payment.user_id);
  if (!accounts) throw new Error(`user ${payment.user_id} has no ledger accounts`);
  const amount = payment.amount_toman;
  const taken = amount < accounts.walletToman ? amount : accounts.walletToman;
  const owed = amount - taken;
  await insertReversal(tx, { paymentId, userId: payment.user_id, amountToman: amount, owedToman: owed, evidence }, now);
  await postTransfer(
    tx,
    {
      kind: 'reversal',
      sourceType: 'payment',
      sourceId: paymentId,
      purpose: 'reversal',
      movements: [
        { accountId: accounts.walletId, amountToman: -taken },
        { accountId: house.chargeback, amountToman: -owed },
        { accountId: gatewayClearing[payment.gateway], amountToman: amount },
      ],
    },
    now,
  );
  const event = { userId: payment.user_id, cause: paymentId, data: { amountToman: Number(amount) } };
  await deps.notifier.notify(tx, [{ ...event, kind: 'payment_reversed' }]);
  deps.log.error({ payment: paymentId, owed: String(owed) }, 'a bank took a credited payment back');
  await deps.bus.announce(tx, balanceChanged, { userId: payment.user_id });
}

async function isGoingBack(db: Executor, paymentId: string): Promise<boolean> {
  const refund = (await selectLatestRefunds(db, [paymentId])).get(paymentId);
  return refund !== undefined && refund.state !== 'failed';
}

/** Pays the user's debts from a credit that was just booked, oldest debt first. */
export async function payOwed(
  tx: Tx,
  payment: { id: string; user_id: string; amount_toman: bigint },
  now: Date,
): Promise<void> {
  const debts = await lockOwed(tx, payment.user_id);
  if (debts.length === 0) return;
  const accounts = (await lockAccounts(tx, [payment.user_id])).get(payment.user_id);
  if (!accounts) throw new Error(`user ${payment.user_id} has no ledger accounts`);
  let left = payment.amount_toman < accounts.walletToman ? payment.amount_toman : accounts.walletToman;
  let paid = 0n;
  for (const debt of debts) {
    const part = debt.owed_toman < left ? debt.owed_toman : left;
    if (part === 0n) break;
    await updateOwed(tx, debt.payment_id, debt.owed_toman - part);
    left -= part;
    paid += part;
  }
  if (paid === 0n) return;
  await postTransfer(
    tx,
    {
      kind: 'reversal',
      sourceType: 'payment',
      sourceId: payment.id,
      purpose: 'owed',
      movements: [
        { accountId: accounts.walletId, amountToman: -paid },
        { accountId: house.chargeback, amountToman: paid },
      ],
    },
    now,
  );
}

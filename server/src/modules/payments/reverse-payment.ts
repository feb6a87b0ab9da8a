import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction, type Tx } from '../../platform/database.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import type { Notifier } from '../../platform/notifications.ts';
import type { Vault } from '../../platform/sealed.ts';
import { issueDocument } from '../invoices/issue-document.ts';
import { gatewayClearing, house } from '../ledger/house.ts';
import type { LockBalance } from '../ledger/locked-balance.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { balanceChanged } from '../ledger/signals.ts';
import type { Gateway } from './gateway.ts';
import type { PaymentNotifications } from './notifications.ts';
import { selectLatestRefunds } from './refund-tables.ts';
import { insertReversal, selectReversed } from './reversal-tables.ts';
import { decideReversal } from './rules.ts';
import { stopRefund } from './settle-refund.ts';
import { lockPayment, type PaymentRow, selectPayment } from './tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly jobs: Jobs;
  readonly bus: Bus;
  readonly log: Log;
  readonly notifier: Notifier<PaymentNotifications>;
  readonly gateways: ReadonlyMap<GatewayName, Gateway>;
  readonly lockBalance: LockBalance;
}

/**
 * Checks whether the bank has reversed a credited payment on its own, and books it once: the whole amount goes back to
 * the bank, and what the wallet no longer holds becomes a debt taken from the next charges. A refund that was requested
 * and not sent yet returns to the wallet first. `decideReversal` tells a reversal from our own refund.
 */
export async function checkForReversal(deps: Deps, paymentId: string): Promise<void> {
  const payment = await selectPayment(deps.db, paymentId);
  const gateway = payment && deps.gateways.get(payment.gateway);
  if (!gateway || payment.state !== 'completed' || !payment.gateway_reference) return;
  if ((await decide(deps.db, payment)).kind === 'is-our-refund') return;
  const { id, gateway_reference: gatewayReference, amount_toman } = payment;
  const inquiry = await gateway.inquire({ paymentId: id, gatewayReference, amountToman: Number(amount_toman) });
  if (inquiry === 'reversed') await inTransaction(deps.db, (tx) => bookReversal(deps, tx, paymentId, { inquiry }));
}

async function bookReversal(deps: Deps, tx: Tx, paymentId: string, evidence: unknown): Promise<void> {
  const now = deps.clock.now();
  const payment = await lockPayment(tx, paymentId);
  if (payment?.state !== 'completed') return;
  const decision = await decide(tx, payment);
  if (decision.kind === 'is-our-refund' || (await selectReversed(tx, [paymentId])).size > 0) return;
  let balance = await deps.lockBalance(tx, payment.user_id);
  if (decision.stopsRefund) {
    await stopRefund(deps, tx, paymentId);
    balance = await deps.lockBalance(tx, payment.user_id);
  }
  const amount = payment.amount_toman;
  const taken = amount < balance.balanceToman ? amount : balance.balanceToman;
  const owed = amount - taken;
  await insertReversal(tx, { paymentId, userId: payment.user_id, amountToman: amount, owedToman: owed, evidence }, now);
  const movements = [
    { accountId: balance.walletId, amountToman: -taken },
    { accountId: house.chargeback, amountToman: -owed },
    { accountId: gatewayClearing[payment.gateway], amountToman: amount },
  ];
  const cause = { kind: 'reversal', sourceType: 'payment', sourceId: paymentId, purpose: 'reversal' } as const;
  await balance.spend(taken, () => postTransfer(tx, { ...cause, movements }, now));
  const event = {
    userId: payment.user_id,
    cause: paymentId,
    data: { amountToman: Number(amount), owedToman: Number(owed) },
  };
  await deps.notifier.notify(tx, [{ ...event, kind: 'payment_reversed' }]);
  deps.log.error({ payment: paymentId, owed: String(owed) }, 'a bank took a credited payment back');
  await deps.bus.announce(tx, balanceChanged, { userId: payment.user_id });
  const note = { kind: 'reversal', sourceId: paymentId, userId: payment.user_id, amountToman: amount } as const;
  await issueDocument(tx, { ...note, corrects: { kind: 'receipt', sourceId: paymentId } }, now);
}

async function decide(db: Executor, payment: PaymentRow): Promise<ReturnType<typeof decideReversal>> {
  const refund = (await selectLatestRefunds(db, [payment.id])).get(payment.id);
  return decideReversal(payment.amount_toman, refund && { state: refund.state, amountToman: refund.amount_toman });
}

import type { GatewayName } from '@raha/contract/limits.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import type { Vault } from '../../platform/sealed.ts';
import { gatewayClearing } from '../ledger/house.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';
import type { Gateway } from './gateway.ts';
import { decideSettlement, maySettle, type PaymentState, type Settlement } from './rules.ts';
import { lockPayment, type PaymentRow, selectPayment, updateClosed, updateCompleted } from './tables.ts';

export interface ConfirmDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly jobs: Jobs;
  readonly bus: Bus;
  readonly log: Log;
  readonly gateways: ReadonlyMap<GatewayName, Gateway>;
}

/**
 * Asks the bank about a payment and settles it once. Called by the return from the bank, by the person's "check again"
 * and by the reconciler, in any number and order: the row lock and the ledger's unique source let one of them credit.
 * The bank is asked outside any transaction. Answers the state after the question.
 */
export async function confirmPayment(
  deps: ConfirmDeps,
  paymentId: string,
  context: { returned?: 'ok' | 'nok' | undefined; lastCheck?: boolean } = {},
): Promise<PaymentRow | undefined> {
  const payment = await selectPayment(deps.db, paymentId);
  if (!payment || payment.state === 'completed' || payment.state === 'needs_review') return payment;
  const gateway = deps.gateways.get(payment.gateway);
  if (!gateway) return payment;
  const settlement = await askSettlement(gateway, payment, context);
  if (!maySettle(payment.state, settlement)) return payment;
  await inTransaction(deps.db, (tx) => settle(deps, tx, paymentId, settlement));
  return await selectPayment(deps.db, paymentId);
}

async function askSettlement(
  gateway: Gateway,
  payment: PaymentRow,
  context: { returned?: 'ok' | 'nok' | undefined; lastCheck?: boolean },
): Promise<Settlement> {
  const { returned, lastCheck = false } = context;
  if (!payment.authority) {
    // The bank never answered the start, so nobody can have paid on it; wait out the checks before saying so.
    return lastCheck ? { kind: 'close', state: 'failed', evidence: { reason: 'never started' } } : { kind: 'wait' };
  }
  const verified = await gateway.verify({ authority: payment.authority, amountToman: Number(payment.amount_toman) });
  const inquiry = verified.kind === 'not-paid' ? await gateway.inquire(payment.authority) : 'unknown';
  return decideSettlement(verified, inquiry, { returned, lastCheck });
}

async function settle(deps: ConfirmDeps, tx: Tx, paymentId: string, settlement: Settlement): Promise<void> {
  const now = deps.clock.now();
  const payment = await lockPayment(tx, paymentId);
  if (!payment || !maySettle(payment.state, settlement)) return;
  if (settlement.kind === 'credit') {
    await updateCompleted(tx, payment.id, settlement, now);
    await credit(tx, payment, now);
    await deps.jobs.send(tx, 'service.restore', { userId: payment.user_id });
    await deps.bus.announce(tx, { topic: 'user', userId: payment.user_id, event: { type: 'balance' } });
  }
  if (settlement.kind === 'close') {
    await updateClosed(tx, payment.id, { state: settlement.state, failure: null, evidence: settlement.evidence }, now);
    if (settlement.state === 'needs_review')
      deps.log.error({ payment: payment.id }, 'a payment needs review: amount or owner differs');
  }
  const status = shownStatus(
    settlement.kind === 'credit' ? 'completed' : settlement.kind === 'close' ? settlement.state : payment.state,
  );
  await deps.bus.announce(tx, {
    topic: 'user',
    userId: payment.user_id,
    event: { type: 'payment', transactionId: payment.id, status },
  });
}

async function credit(tx: Tx, payment: PaymentRow, now: Date): Promise<void> {
  const accounts = await getUserAccounts(tx, payment.user_id);
  await postTransfer(
    tx,
    {
      kind: 'wallet_charge',
      sourceType: 'payment',
      sourceId: payment.id,
      purpose: 'credit',
      movements: [
        { accountId: gatewayClearing[payment.gateway], amountToman: -payment.amount_toman },
        { accountId: accounts.walletId, amountToman: payment.amount_toman },
      ],
    },
    now,
  );
}

/** What a person is told of a state; what an operator must look at is still pending for them. */
export function shownStatus(state: PaymentState): 'pending' | 'completed' | 'failed' | 'cancelled' {
  if (state === 'completed' || state === 'failed' || state === 'cancelled') return state;
  return 'pending';
}

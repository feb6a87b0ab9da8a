import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx, violatedConstraint } from '../../platform/database.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Log } from '../../platform/log.ts';
import type { Notifier } from '../../platform/notifications.ts';
import type { Vault } from '../../platform/sealed.ts';
import { lockUser } from '../accounts/users.ts';
import { issueDocument } from '../invoices/issue-document.ts';
import { gatewayClearing } from '../ledger/house.ts';
import { fundsAdded } from '../ledger/jobs.ts';
import type { LockBalance } from '../ledger/locked-balance.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { balanceChanged } from '../ledger/signals.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';
import { settleCredit } from './card-money.ts';
import type { Gateway, PaymentReference } from './gateway.ts';
import type { PaymentNotifications } from './notifications.ts';
import {
  applyOwner,
  applyVerdicts,
  checkAfter,
  decideSettlement,
  maySettle,
  noCardMoney,
  type PaymentState,
  reversalCheckAfter,
  type Settlement,
} from './rules.ts';
import { paymentChanged } from './signals.ts';
import { lockPayment, type PaymentRow, selectPayment, updateClosed, updateCompleted } from './tables.ts';

export interface ConfirmDeps {
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

interface Context {
  readonly returned?: 'ok' | 'nok' | undefined;
  readonly lastCheck?: boolean;
}

/**
 * Asks the bank about a payment and settles it once. Called on the return from the bank, by the user's "check again"
 * and by the reconciler, in any number and order: the row lock and the ledger's unique source let only one of them
 * credit. The bank is asked outside any transaction, and no longer after the operator's second verdict. Returns the
 * payment as it is afterwards.
 */
export async function confirmPayment(
  deps: ConfirmDeps,
  paymentId: string,
  context: Context = {},
): Promise<PaymentRow | undefined> {
  const payment = await selectPayment(deps.db, paymentId);
  if (!payment || payment.state === 'completed' || payment.state === 'needs_review' || payment.verdicts > 1)
    return payment;
  const gateway = deps.gateways.get(payment.gateway);
  if (!gateway) return payment;
  const settlement = await askSettlement(gateway, payment, context);
  if (!maySettle(payment.state, settlement)) {
    if (context.lastCheck && payment.gateway_reference && isOpen(payment))
      deps.log.error({ payment: paymentId }, 'a payment needs review: the bank has never said what became of it');
    return payment;
  }
  try {
    await inTransaction(deps.db, (tx) => settle(deps, tx, payment, settlement));
  } catch (error) {
    if (settlement.kind !== 'credit' || violatedConstraint(error) !== 'payment_gateway_ref_id_key') throw error;
    // Either this is the money of another payment, or the bank reuses its numbers. The operator decides.
    const evidence = { reason: 'this reference was credited before', bank: settlement.evidence };
    const review = { kind: 'close', state: 'needs_review', evidence } as const;
    await inTransaction(deps.db, (tx) => settle(deps, tx, payment, review));
  }
  return await selectPayment(deps.db, paymentId);
}

function isOpen({ state }: PaymentRow): boolean {
  return state === 'created' || state === 'redirected';
}

async function askSettlement(gateway: Gateway, payment: PaymentRow, context: Context): Promise<Settlement> {
  const { returned, lastCheck = false } = context;
  const reference = referenceOf(payment);
  if (!reference) {
    // The bank never answered the start, so nobody can have paid. Wait for the last check before closing it as failed.
    return lastCheck ? { kind: 'close', state: 'failed', evidence: { reason: 'never started' } } : { kind: 'wait' };
  }
  const verified = await gateway.verify(reference);
  const inquiry =
    verified.kind === 'not-paid' ? (verified.known ?? (await gateway.inquire(reference))) : ('unknown' as const);
  return decideSettlement(verified, inquiry, { returned, lastCheck });
}

/** How the bank identifies a payment; undefined if it never answered the start. */
export function referenceOf(payment: PaymentRow): PaymentReference | undefined {
  if (!payment.gateway_reference) return undefined;
  return {
    paymentId: payment.id,
    gatewayReference: payment.gateway_reference,
    amountToman: Number(payment.amount_toman),
  };
}

async function settle(deps: ConfirmDeps, tx: Tx, known: PaymentRow, decided: Settlement): Promise<void> {
  const now = deps.clock.now();
  const owner = await lockUser(tx, known.user_id);
  const payment = await lockPayment(tx, known.id);
  const settlement = applyVerdicts(applyOwner(decided, owner.status === 'deleted'), payment?.verdicts ?? 0);
  if (!payment || !maySettle(payment.state, settlement)) return;
  const nextCheckAt = checkAfter(payment.created_at, now);
  if (settlement.kind === 'credit') {
    const reversalCheckAt = reversalCheckAfter(payment.created_at, now);
    await updateCompleted(tx, payment.id, { ...settlement, nextCheckAt: reversalCheckAt }, now);
    await credit(tx, deps, payment, now);
    await deps.jobs.send(tx, fundsAdded, { userId: payment.user_id });
    await deps.bus.announce(tx, balanceChanged, { userId: payment.user_id });
  }
  if (settlement.kind === 'close') {
    const { state, evidence } = settlement;
    const asked = state === 'needs_review' || !payment.gateway_reference ? undefined : nextCheckAt;
    await updateClosed(tx, payment.id, { state, failure: null, evidence, nextCheckAt: asked }, now);
    if (state === 'needs_review')
      deps.log.error({ payment: payment.id }, 'a payment needs review: what the bank says does not fit');
  }
  const state =
    settlement.kind === 'credit' ? 'completed' : settlement.kind === 'close' ? settlement.state : payment.state;
  await announcePayment(deps, tx, payment, shownStatus(state));
  if (settlement.kind === 'credit') await issueReceipt(tx, payment, now);
}

/** The last thing in the transaction of a credit. */
export async function issueReceipt(tx: Tx, payment: PaymentRow, now: Date): Promise<void> {
  const { id: sourceId, user_id: userId, amount_toman: amountToman, gateway } = payment;
  await issueDocument(tx, { kind: 'receipt', sourceId, userId, amountToman, subject: { gateway } }, now);
}

export async function announcePayment(
  deps: { bus: Bus },
  tx: Tx,
  payment: { id: string; user_id: string },
  status: string,
): Promise<void> {
  await deps.bus.announce(tx, paymentChanged, { userId: payment.user_id, transactionId: payment.id, status });
}

/** Credits a payment to its owner's wallet; the ledger allows it once. */
export async function credit(
  tx: Tx,
  deps: Pick<ConfirmDeps, 'notifier' | 'vault'>,
  payment: PaymentRow,
  now: Date,
): Promise<void> {
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
  const { id: sourceId, user_id: userId, amount_toman: amountToman } = payment;
  await settleCredit(tx, deps, { userId, sourceType: 'payment', sourceId, amountToman, origin: noCardMoney }, now);
  const event = { userId: payment.user_id, cause: payment.id, data: { amountToman: Number(payment.amount_toman) } };
  await deps.notifier.notify(tx, [{ ...event, kind: 'payment_completed' }]);
}

/** The state shown to the user: what awaits the operator's review is still pending for them. */
export function shownStatus(state: PaymentState): 'pending' | 'completed' | 'failed' | 'cancelled' {
  if (state === 'completed' || state === 'failed' || state === 'cancelled') return state;
  return 'pending';
}

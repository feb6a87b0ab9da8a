import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import { addSeconds, secondsBetween } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/database.ts';
import type { ConfirmDeps } from './confirm-payment.ts';
import type { Gateway, RefundRequest } from './gateway.ts';
import { findHold } from './hold.ts';
import {
  lockRefund,
  lockRefundAsSeen,
  markUnrepeatable,
  type RefundRow,
  takeDueRefunds,
  updateRefund,
} from './refund-tables.ts';
import { isSecondReference, type RefundCheck, type RefundResult } from './rules.ts';
import { settleRefund } from './settle-refund.ts';
import { selectPayment } from './tables.ts';

/**
 * Sends a requested refund through its gateway. The state `sent` is committed before the bank is called, so a crash
 * leaves `sent` and never leads to a second call; the outcome is then looked up, not guessed. While payments are held it stays
 * `requested`: it may have been sent after the time of the books.
 */
export async function sendRefund(deps: ConfirmDeps, refundId: string): Promise<void> {
  if (await findHold(deps.db)) return;
  const now = deps.clock.now();
  const refund = await inTransaction(deps.db, async (tx) => {
    const row = await lockRefund(tx, refundId);
    if (row?.state !== 'requested' || row.route !== 'gateway') return undefined;
    const nextCheckAt = addSeconds(now, 60);
    await updateRefund(tx, row.id, { state: 'sent', route: 'gateway', checks: row.checks + 1, nextCheckAt }, now);
    return { ...row, state: 'sent' as const, checks: row.checks + 1 };
  });
  if (!refund) return;
  const asked = await requestOf(deps, refund, now);
  const result: RefundResult =
    typeof asked === 'string' ? { kind: 'by-hand', reason: asked } : await asked.gateway.refund(asked.request);
  await settle(deps, refund, result);
}

/** Looks up refunds of all gateways whose answer was lost, and sends those that were never requested. */
export async function reconcileRefunds(deps: ConfirmDeps): Promise<number> {
  const counts = await Promise.all(paymentGateways.map((name) => reconcileRefundsOf(deps, name)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The same for one gateway, so that a bank that does not answer delays only its own refunds. */
export async function reconcileRefundsOf(deps: ConfirmDeps, name: GatewayName): Promise<number> {
  const now = deps.clock.now();
  const due = await inTransaction(deps.db, (tx) => takeDueRefunds(tx, name, now, 20, addSeconds(now, 300)));
  for (const refund of due) {
    if (refund.state === 'requested') await sendRefund(deps, refund.id);
    else if (refund.route === 'gateway') await lookUpOutcome(deps, refund);
  }
  return due.length;
}

/** A refund is sent through the gateway this often at most; then the operator looks at it. */
const MAX_SENDS = 3;

async function lookUpOutcome(deps: ConfirmDeps, refund: RefundRow): Promise<void> {
  const asked = await requestOf(deps, refund, refund.sent_at ?? deps.clock.now());
  const found: RefundCheck =
    typeof asked === 'string' ? { kind: 'unknown' } : await asked.gateway.findRefund(asked.request);
  if (found.kind === 'confirmed') return await settle(deps, refund, found);
  if (refund.tracking !== null)
    return await settle(deps, refund, { kind: 'accepted', tracking: refund.tracking, evidence: undefined });
  if (found.kind === 'unknown') return await settle(deps, refund, { kind: 'unknown', reason: 'no answer' });
  if (refund.checks >= MAX_SENDS)
    return await settle(deps, refund, { kind: 'by-hand', reason: `sent ${refund.checks} times, never done` });
  const isOurs = await inTransaction(deps.db, async (tx) => {
    const row = await lockRefundAsSeen(tx, refund);
    if (!row) return false;
    const now = deps.clock.now();
    await updateRefund(tx, row.id, { state: 'requested', route: 'gateway', nextCheckAt: now }, now);
    return true;
  });
  if (isOurs) await sendRefund(deps, refund.id);
}

async function settle(deps: ConfirmDeps, seen: RefundRow, result: RefundResult): Promise<void> {
  if (result.kind === 'by-hand' || result.kind === 'unknown')
    deps.log.warn({ refund: seen.id, reason: result.reason }, `a refund is ${result.kind}`);
  const isSettled = await inTransaction(deps.db, (tx) => settleRefund(deps, tx, seen, result));
  if (!isSettled) deps.log.warn({ refund: seen.id, answer: result }, 'an answer about a refund came too late');
}

/** The request to the bank, or why it cannot be made. */
async function requestOf(
  deps: ConfirmDeps,
  refund: RefundRow,
  sentAt: Date,
): Promise<{ gateway: Gateway; request: RefundRequest } | string> {
  const payment = await selectPayment(deps.db, refund.payment_id);
  const gateway = payment && deps.gateways.get(payment.gateway);
  if (!gateway) return 'the gateway is not configured';
  if (!payment.gateway_reference || !payment.ref_id || isSecondReference(payment.ref_id, payment.id))
    return 'the payment has no reference of its own at the bank';
  return {
    gateway,
    request: {
      paymentId: payment.id,
      gatewayReference: payment.gateway_reference,
      amountToman: Number(payment.amount_toman),
      refId: payment.ref_id,
      refundToman: Number(refund.amount_toman),
      secondsSincePaid: secondsBetween(payment.settled_at ?? payment.created_at, sentAt),
      isUnrepeatable: refund.unrepeatable_call_at !== null,
      becomeUnrepeatable: () => becomeUnrepeatable(deps, refund),
    },
  };
}

async function becomeUnrepeatable(deps: ConfirmDeps, seen: RefundRow): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const row = await lockRefundAsSeen(tx, seen);
    if (!row) throw new Error(`refund ${seen.id} has changed meanwhile`);
    await markUnrepeatable(tx, row.id, deps.clock.now());
  });
}

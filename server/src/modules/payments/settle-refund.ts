import { type Actor, type Audit, describeActor } from '../../platform/audit.ts';
import { addSeconds } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/database.ts';
import { issueDocument } from '../invoices/issue-document.ts';
import { gatewayClearing, house } from '../ledger/house.ts';
import { fundsAdded } from '../ledger/jobs.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { balanceChanged } from '../ledger/signals.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';
import { settleCredit } from './card-money.ts';
import { announcePayment, type ConfirmDeps } from './confirm-payment.ts';
import {
  lockRefund,
  lockRefundAsSeen,
  type RefundRow,
  selectLatestRefunds,
  selectRefundQueue,
  updateRefund,
  updateRefundCheck,
} from './refund-tables.ts';
import { refuseMember } from './refuse-member.ts';
import { noCardMoney, type RefundResult } from './rules.ts';

type SettleDeps = Pick<ConfirmDeps, 'clock' | 'jobs' | 'bus' | 'notifier' | 'vault'>;

/** A refund with an unknown outcome is looked up again this often; then it waits for the operator. */
const MAX_CHECKS = 8;

/**
 * Books the outcome of a refund, once: arrived at the payer, on its way, back in the wallet, left to the operator to
 * send, or unknown. Returns false if the refund has changed since the gateway was asked; the answer is then ignored.
 */
export async function settleRefund(deps: SettleDeps, tx: Tx, seen: RefundRow, result: RefundResult): Promise<boolean> {
  const refund = await lockRefundAsSeen(tx, seen);
  if (!refund) return false;
  const now = deps.clock.now();
  if (result.kind === 'confirmed') await confirm(deps, tx, refund, result, undefined);
  else if (result.kind === 'failed') await returnToWallet(deps, tx, refund, result, undefined);
  else if (result.kind === 'by-hand')
    await updateRefund(tx, refund.id, { state: 'requested', route: 'hand', failure: result.reason }, now);
  else await checkAgain(deps, tx, refund, result);
  return true;
}

/**
 * A bank pays out an accepted refund within days, so it is checked after one, two, four hours …; after a lost answer
 * sooner.
 */
async function checkAgain(
  deps: SettleDeps,
  tx: Tx,
  refund: RefundRow,
  result: Extract<RefundResult, { kind: 'accepted' | 'unknown' }>,
): Promise<void> {
  const now = deps.clock.now();
  const checks = refund.checks + 1;
  const isLast = checks > MAX_CHECKS;
  if (result.kind === 'accepted' && refund.state === 'sent' && !isLast) {
    const nextCheckAt = addSeconds(now, 900 * 2 ** checks);
    await updateRefundCheck(tx, refund.id, { ...result, checks, nextCheckAt });
    await announcePayment(deps, tx, { id: refund.payment_id, user_id: refund.user_id }, 'refunded');
    return;
  }
  const failure = result.kind === 'accepted' ? 'taken by the bank, never seen to arrive' : result.reason;
  const nextCheckAt = isLast ? undefined : addSeconds(now, 60 * 2 ** checks);
  await updateRefund(tx, refund.id, { state: 'unknown', route: 'gateway', failure, checks, nextCheckAt }, now);
}

export interface OperatorVerdict {
  readonly refundId: string;
  /** sent: handed to a bank; confirmed: it arrived; failed: it cannot be sent, the money returns to the wallet. */
  readonly outcome: 'sent' | 'confirmed' | 'failed';
  readonly actor: Actor;
  /** Who did it, for the evidence; a member is named by the session. */
  readonly operator?: string | undefined;
  readonly tracking?: string | undefined;
  readonly note?: string | undefined;
}

/**
 * Books what the operator did with a refund from the queue; false if it is not waiting. Refuses a member `staff_own_account`, and
 * `forbidden` if they were disabled meanwhile.
 */
export async function settleRefundByHand(
  deps: SettleDeps & Pick<ConfirmDeps, 'db'> & { readonly audit: Audit },
  verdict: OperatorVerdict,
): Promise<boolean> {
  const { actor, refundId, outcome } = verdict;
  return await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now();
    const refund = await lockRefund(tx, verdict.refundId);
    const waits = refund && (refund.state === 'unknown' || (refund.route === 'hand' && refund.settled_at === null));
    if (!waits) return false;
    await refuseMember(tx, actor, refund.user_id, 'payments.settle');
    const { tracking } = verdict;
    const operator = verdict.operator ?? describeActor(actor);
    const evidence = { by: operator, tracking: tracking ?? null, note: verdict.note ?? null };
    if (verdict.outcome === 'sent') {
      await updateRefund(tx, refund.id, { state: 'sent', route: 'hand', tracking, operator, evidence }, now);
      await announcePayment(deps, tx, { id: refund.payment_id, user_id: refund.user_id }, 'refunded');
    }
    if (verdict.outcome === 'confirmed') await confirm(deps, tx, refund, { tracking, evidence }, operator);
    if (verdict.outcome === 'failed')
      await returnToWallet(deps, tx, refund, { reason: verdict.note ?? 'by hand', evidence }, operator);
    const what = {
      action: 'refunds.settle',
      target: { kind: 'refund', id: refundId },
      userId: refund.user_id,
    } as const;
    const details = { outcome, payment: refund.payment_id };
    await deps.audit.record(tx, actor, { ...what, operator: verdict.operator, reason: verdict.note, details });
    return true;
  });
}

export const listRefundQueue = selectRefundQueue;

async function confirm(
  deps: SettleDeps,
  tx: Tx,
  refund: RefundRow,
  proof: { tracking: string | undefined; evidence: unknown },
  operator: string | undefined,
): Promise<void> {
  const now = deps.clock.now();
  const route = operator === undefined ? 'gateway' : 'hand';
  await updateRefund(tx, refund.id, { state: 'confirmed', route, ...proof, operator }, now);
  await move(tx, refund, 'confirm', gatewayClearing[refund.gateway], now);
  await deps.notifier.notify(tx, [{ ...eventOf(refund), kind: 'refund_confirmed' }]);
  await announcePayment(deps, tx, { id: refund.payment_id, user_id: refund.user_id }, 'refunded');
  const { id: sourceId, user_id: userId, amount_toman: amountToman, payment_id } = refund;
  const corrects = { kind: 'receipt', sourceId: payment_id } as const;
  await issueDocument(tx, { kind: 'refund', sourceId, userId, amountToman, corrects }, now);
}

/** Returns a refund that was not sent yet to the wallet, because the bank has reversed its payment. */
export async function stopRefund(deps: SettleDeps, tx: Tx, paymentId: string): Promise<void> {
  const refund = (await selectLatestRefunds(tx, [paymentId])).get(paymentId);
  const locked = refund && (await lockRefund(tx, refund.id));
  if (locked?.state !== 'requested') return;
  const reason = 'the bank has reversed the payment';
  await returnToWallet(deps, tx, locked, { reason, evidence: undefined }, undefined);
}

/** The money returns to the wallet, which may resume the user's service. */
async function returnToWallet(
  deps: SettleDeps,
  tx: Tx,
  refund: RefundRow,
  failed: { reason: string; evidence: unknown },
  operator: string | undefined,
): Promise<void> {
  const now = deps.clock.now();
  const { route } = refund;
  const { reason: failure, evidence } = failed;
  await updateRefund(tx, refund.id, { state: 'failed', route, failure, evidence, operator }, now);
  const { walletId } = await getUserAccounts(tx, refund.user_id);
  await move(tx, refund, 'return', walletId, now);
  const { id: sourceId, user_id: userId, amount_toman: amountToman } = refund;
  await settleCredit(tx, deps, { userId, sourceType: 'refund', sourceId, amountToman, origin: noCardMoney }, now);
  await deps.notifier.notify(tx, [{ ...eventOf(refund), kind: 'refund_failed' }]);
  await deps.jobs.send(tx, fundsAdded, { userId: refund.user_id });
  await deps.bus.announce(tx, balanceChanged, { userId: refund.user_id });
  await announcePayment(deps, tx, { id: refund.payment_id, user_id: refund.user_id }, 'completed');
}

function eventOf({ id, user_id, amount_toman }: RefundRow) {
  return { userId: user_id, cause: id, data: { amountToman: Number(amount_toman) } };
}

async function move(
  tx: Tx,
  refund: RefundRow,
  purpose: 'confirm' | 'return',
  accountId: string,
  now: Date,
): Promise<void> {
  await postTransfer(
    tx,
    {
      kind: 'refund',
      sourceType: 'refund',
      sourceId: refund.id,
      purpose,
      movements: [
        { accountId: house.refundClearing, amountToman: -refund.amount_toman },
        { accountId, amountToman: refund.amount_toman },
      ],
    },
    now,
  );
}

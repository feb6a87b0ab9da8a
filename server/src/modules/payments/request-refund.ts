import { toWire } from '@raha/contract/money.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import { addSeconds } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/database.ts';
import { claimKey, type IdempotentRequest, storeAnswer } from '../../platform/idempotency.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getSetting } from '../../platform/settings.ts';
import { house } from '../ledger/house.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { balanceChanged } from '../ledger/signals.ts';
import { readOrigin } from './card-money.ts';
import { announcePayment, type ConfirmDeps } from './confirm-payment.ts';
import { refundRequested } from './jobs.ts';
import { insertRefund, selectLatestRefunds } from './refund-tables.ts';
import { refuseMember } from './refuse-member.ts';
import { selectReversed } from './reversal-tables.ts';
import { decideRefundable } from './rules.ts';
import { minRefundToman } from './settings.ts';
import { lockPayment } from './tables.ts';

export interface RefundOrder {
  readonly userId: string;
  readonly paymentId: string;
  /** Toman; if absent, all of the payment that is unspent. */
  readonly amountToman?: number | undefined;
  readonly reason?: string | undefined;
  readonly idempotent?: IdempotentRequest | undefined;
  /** An operator asks on the user's behalf, within the same rules. */
  readonly onBehalf?:
    | { readonly actor: Actor; readonly audit: Audit; readonly operator?: string | undefined }
    | undefined;
}

/**
 * Registers a refund: the money leaves the wallet in the same transaction, and a job sends it. Refuses `not_found`,
 * `refund_started`, `refund_not_possible` (not completed, older than `limits.payment.refundDays`, nothing unspent),
 * `refund_too_small` and `refund_too_large`.
 */
export async function requestRefund(deps: ConfirmDeps, order: RefundOrder): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now();
    if (await claimKey(tx, order.idempotent, now)) return;
    const payment = await lockPayment(tx, order.paymentId);
    if (!payment || payment.user_id !== order.userId) throw new Refusal('not_found');
    if (order.onBehalf) await refuseMember(tx, order.onBehalf.actor, order.userId, 'refunds.request');
    const refund = (await selectLatestRefunds(tx, [payment.id])).get(payment.id);
    if (refund && refund.state !== 'failed') throw new Refusal('refund_started');
    const balance = await deps.lockBalance(tx, order.userId);
    const minToman = BigInt(await getSetting(tx, minRefundToman));
    const most = decideRefundable(
      { state: payment.state, amountToman: payment.amount_toman, settledAt: payment.settled_at },
      {
        balanceToman: balance.balanceToman,
        cardToman: (await readOrigin(tx, order.userId, balance.balanceToman)).cardToman,
        minToman,
        refund: refund?.state,
        reversed: (await selectReversed(tx, [payment.id])).has(payment.id),
        now,
      },
    );
    if (most <= 0n) throw new Refusal('refund_not_possible');
    const amountToman = order.amountToman === undefined ? most : BigInt(order.amountToman);
    if (amountToman < minToman) throw new Refusal('refund_too_small', { details: { min: toWire(minToman) } });
    if (amountToman > most) throw new Refusal('refund_too_large', { details: { max: toWire(most) } });
    const id = newId(now);
    await insertRefund(
      tx,
      {
        id,
        paymentId: payment.id,
        userId: order.userId,
        gateway: payment.gateway,
        amountToman,
        reason: order.reason ?? '',
        nextCheckAt: addSeconds(now, 60),
      },
      now,
    );
    await balance.spend(amountToman, () => reserve(tx, id, balance.walletId, amountToman, now));
    await deps.jobs.send(tx, refundRequested, { refundId: id });
    await deps.bus.announce(tx, balanceChanged, { userId: order.userId });
    await announcePayment(deps, tx, payment, 'completed');
    await storeAnswer(tx, order.idempotent, { refundId: id });
    if (order.onBehalf) await record(tx, order.onBehalf, order, id, amountToman);
  });
}

async function record(
  tx: Tx,
  { actor, audit, operator }: NonNullable<RefundOrder['onBehalf']>,
  { userId, paymentId, reason }: RefundOrder,
  refund: string,
  amountToman: bigint,
): Promise<void> {
  const target = { kind: 'payment', id: paymentId } as const;
  const details = { refund, amountToman: Number(amountToman) };
  await audit.record(tx, actor, { action: 'refunds.request', target, userId, operator, reason, details });
}

async function reserve(tx: Tx, id: string, walletId: string, amountToman: bigint, now: Date): Promise<void> {
  await postTransfer(
    tx,
    {
      kind: 'refund',
      sourceType: 'refund',
      sourceId: id,
      purpose: 'reserve',
      movements: [
        { accountId: walletId, amountToman: -amountToman },
        { accountId: house.refundClearing, amountToman },
      ],
    },
    now,
  );
}

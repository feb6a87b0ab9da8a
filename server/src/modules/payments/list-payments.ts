import type { Executor } from '../../platform/database.ts';
import {
  type DeskPayment,
  type PaymentPage,
  selectDeskPayment,
  selectOldestWaiting,
  selectPaymentPage,
  selectWaitingCount,
  sumCredited,
} from './desk-tables.ts';
import {
  type RefundRow,
  selectLatestRefunds,
  selectOpenRefunds,
  selectRefundsOf,
  selectWaitingRefunds,
  sumConfirmed,
} from './refund-tables.ts';
import { selectReversal, selectReversed } from './reversal-tables.ts';

export type { DeskPayment, PaymentPage };
/** A refund as it stands. */
export type Refund = RefundRow;

/** A payment with what became of its money afterwards. */
export interface ListedPayment extends DeskPayment {
  readonly refund: RefundRow | undefined;
  readonly isReversed: boolean;
}

/** For staff: payments of all users, newest first. */
export async function listPayments(db: Executor, page: PaymentPage): Promise<ListedPayment[]> {
  return await withReturns(db, await selectPaymentPage(db, page));
}

async function withReturns(db: Executor, rows: readonly DeskPayment[]): Promise<ListedPayment[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const [refunds, reversed] = [await selectLatestRefunds(db, ids), await selectReversed(db, ids)];
  return rows.map((row) => ({ ...row, refund: refunds.get(row.id), isReversed: reversed.has(row.id) }));
}

/** For staff: one payment, with the evidence, its refunds and its reversal. */
export async function findListedPayment(db: Executor, id: string) {
  const payment = await selectDeskPayment(db, id);
  if (!payment) return undefined;
  const [listed] = await withReturns(db, [payment]);
  if (!listed) return undefined;
  const { evidence } = payment;
  return { ...listed, evidence, refunds: await selectRefundsOf(db, id), reversal: await selectReversal(db, id) };
}

/** How many payments and refunds wait for the operator. */
export async function countWaiting(db: Executor): Promise<{ readonly payments: number; readonly refunds: number }> {
  const [payments, refunds] = [await selectWaitingCount(db), await selectOpenRefunds(db)];
  return { payments, refunds: refunds.unknown + refunds.byHand };
}

export async function listOldestWaiting(db: Executor, limit: number): Promise<ListedPayment[]> {
  return await withReturns(db, await selectOldestWaiting(db, limit));
}

/** What banks credited and paid back from `from` on and before `to`. */
export async function sumSettledBetween(db: Executor, from: Date, to: Date) {
  return { ...(await sumCredited(db, from, to)), refunded: await sumConfirmed(db, from, to) };
}

export const listWaitingRefunds = selectWaitingRefunds;

/** Whether a refund waits for the operator. */
export function isRefundWaiting({ state, route, settled_at }: RefundRow): boolean {
  return state === 'unknown' || (route === 'hand' && settled_at === null);
}

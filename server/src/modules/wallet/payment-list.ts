import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import type { PaymentRecord } from '@raha/contract/public/payments.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { describePayments } from '../payments/describe-payment.ts';
import { type PaymentFilter, type PaymentLineRow, selectPaymentLines } from './line-tables.ts';
import { type PaymentSum, sumPayments } from './sum-tables.ts';
import { describeLine } from './wallet-lines.ts';

/**
 * A user's payments: charges through gateways, and purchases and activations without one. Read from the wallet's lines;
 * the payments module adds the details of payments through gateways.
 */
interface Deps {
  readonly db: Executor;
  readonly clock: Clock;
}

export interface PaymentSearch extends Omit<PaymentFilter, 'id'> {
  /** Searches the description, the number and the gateway. */
  readonly q?: string | undefined;
}

/** How many of the newest payments a text is searched in, in memory, because it is compared with what is displayed. */
const NEWEST = 2_000;

export async function listPayments(
  deps: Deps,
  userId: string,
  { q, ...filter }: PaymentSearch,
  page: { number: number; size: number },
  locale: Locale,
): Promise<{ payments: PaymentRecord[]; total: number }> {
  const offset = (page.number - 1) * page.size;
  const text = q?.trim().toLowerCase();
  if (text) {
    const newest = await selectPaymentLines(deps.db, userId, filter, { limit: NEWEST, offset: 0 });
    const found = (await describe(deps, userId, newest, locale)).filter((payment) => contains(payment, text));
    return { payments: found.slice(offset, offset + page.size), total: found.length };
  }
  const sums = (await sumPayments(deps.db, userId, undefined)).filter((sum) => fits(sum, filter));
  const rows = await selectPaymentLines(deps.db, userId, filter, { limit: page.size, offset });
  return {
    payments: await describe(deps, userId, rows, locale),
    total: sums.reduce((total, { count }) => total + count, 0),
  };
}

/** One payment of the list, by its number. */
export async function findPayment(
  deps: Deps,
  userId: string,
  id: string,
  locale: Locale,
): Promise<PaymentRecord | undefined> {
  const rows = await selectPaymentLines(deps.db, userId, { id }, { limit: 1, offset: 0 });
  return (await describe(deps, userId, rows, locale))[0];
}

export async function countPayments(
  deps: Deps,
  userId: string,
  since: Date | undefined,
): Promise<Record<PaymentRecord['status'], number> & { totalAmount: number; totalPurchases: number }> {
  const counts = { completed: 0, pending: 0, failed: 0, cancelled: 0, refunded: 0, totalAmount: 0, totalPurchases: 0 };
  for (const { kind, status, toman, count } of await sumPayments(deps.db, userId, since)) {
    counts[status] += count;
    if (status === 'completed') counts[sumOf[kind]] += toWire(toman);
  }
  return counts;
}

/** Money that comes in, and purchases that spend it. */
const sumOf = {
  wallet_charge: 'totalAmount',
  gift_card: 'totalAmount',
  subscription: 'totalPurchases',
  subscription_renewal: 'totalPurchases',
} as const satisfies Record<PaymentSum['kind'], string>;

async function describe(
  deps: Deps,
  userId: string,
  rows: readonly PaymentLineRow[],
  locale: Locale,
): Promise<PaymentRecord[]> {
  const charges = rows.filter((row) => row.type === 'wallet_charge').map((row) => row.id);
  const known = await describePayments(deps, userId, charges, locale);
  return rows.map((row) => known.get(row.id) ?? toRecord(row, locale));
}

/** A payment without a gateway is completed at once and cannot be refunded. */
function toRecord(row: PaymentLineRow, locale: Locale): PaymentRecord {
  const at = row.at.toISOString();
  const description = describeLine(row, locale);
  return {
    id: row.id,
    paymentId: row.id,
    reference_id: row.type === 'gift_card' ? row.detail : null,
    amount: toWire(row.amount),
    type: row.type,
    purpose: row.type,
    status: row.status,
    gateway: null,
    paymentMethod:
      row.type === 'gift_card'
        ? { provider: 'gift_card', title: locale === 'fa' ? 'گیفت کارت' : 'Gift card' }
        : { provider: 'wallet', title: locale === 'fa' ? 'کیف پول' : 'Wallet' },
    description,
    tracking_code: null,
    receipt_url: null,
    refundable: false,
    refundable_amount: 0,
    refundable_until: null,
    refund_arrival_days: null,
    cancellable: false,
    refund: null,
    created_at: at,
    updated_at: at,
  };
}

function fits(sum: PaymentSum, { status, type, gateway }: PaymentFilter): boolean {
  return (
    (status === undefined || sum.status === status) &&
    (type === undefined || sum.kind === type) &&
    (gateway === undefined || sum.gateway === gateway)
  );
}

function contains(payment: PaymentRecord, text: string): boolean {
  const { description, id, reference_id, tracking_code, paymentMethod } = payment;
  return [description, id, reference_id, tracking_code, paymentMethod.provider, paymentMethod.title].some((value) =>
    value?.toLowerCase().includes(text),
  );
}

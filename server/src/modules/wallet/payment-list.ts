import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import type { PaymentRecord } from '@raha/contract/public/payments.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { describePayments } from '../payments/describe-payment.ts';
import { type PaymentLineRow, selectPaymentLines } from './line-tables.ts';
import { describeLine } from './wallet-lines.ts';

/**
 * A user's payments: charges through gateways, and purchases and activations without one. Read from the wallet's lines;
 * the payments module adds the details of payments through gateways.
 */
interface Deps {
  readonly db: Executor;
  readonly clock: Clock;
}

export interface PaymentFilter {
  readonly status?: PaymentRecord['status'] | undefined;
  readonly type?: PaymentRecord['type'] | undefined;
  readonly gateway?: string | undefined;
  /** Searches the description, the number and the gateway. */
  readonly q?: string | undefined;
}

/** How many of the newest lines are searched, in memory, because filters apply to the displayed text. */
const NEWEST = 2_000;

export async function listPayments(
  deps: Deps,
  userId: string,
  filter: PaymentFilter,
  page: { number: number; size: number },
  locale: Locale,
): Promise<{ payments: PaymentRecord[]; total: number }> {
  const all = await describeAll(deps, userId, {}, locale);
  const found = all.filter((payment) => fits(payment, filter));
  const from = (page.number - 1) * page.size;
  return { payments: found.slice(from, from + page.size), total: found.length };
}

/** One payment of the list, by its number. */
export async function findPayment(
  deps: Deps,
  userId: string,
  id: string,
  locale: Locale,
): Promise<PaymentRecord | undefined> {
  return (await describeAll(deps, userId, { id }, locale))[0];
}

export async function countPayments(
  deps: Deps,
  userId: string,
  since: Date | undefined,
): Promise<Record<PaymentRecord['status'], number> & { totalAmount: number; totalPurchases: number }> {
  const counts = { completed: 0, pending: 0, failed: 0, cancelled: 0, refunded: 0, totalAmount: 0, totalPurchases: 0 };
  for (const payment of await describeAll(deps, userId, { since }, 'fa')) {
    counts[payment.status] += 1;
    if (payment.status === 'completed') counts[sumOf[payment.type]] += payment.amount;
  }
  return counts;
}

/** Money that comes in, and purchases that spend it. */
const sumOf = {
  wallet_charge: 'totalAmount',
  gift_card: 'totalAmount',
  config_purchase: 'totalPurchases',
  subscription: 'totalPurchases',
  subscription_renewal: 'totalPurchases',
} as const satisfies Record<PaymentRecord['type'], string>;

async function describeAll(
  deps: Deps,
  userId: string,
  { since, id }: { since?: Date | undefined; id?: string },
  locale: Locale,
): Promise<PaymentRecord[]> {
  const rows = await selectPaymentLines(deps.db, userId, { since, id, limit: NEWEST });
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

function fits(payment: PaymentRecord, { status, type, gateway, q }: PaymentFilter): boolean {
  if (status !== undefined && payment.status !== status) return false;
  if (type !== undefined && payment.type !== type) return false;
  if (gateway !== undefined && payment.gateway !== gateway) return false;
  const text = q?.trim().toLowerCase();
  if (!text) return true;
  const { description, id, reference_id, tracking_code, paymentMethod } = payment;
  return [description, id, reference_id, tracking_code, paymentMethod.provider, paymentMethod.title].some((value) =>
    value?.toLowerCase().includes(text),
  );
}

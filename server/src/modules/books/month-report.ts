import type { Database } from '../../platform/database.ts';
import { listSales } from '../gift-cards/sell-batch.ts';
import { type MonthRow, sumDays } from '../ledger/months.ts';
import { listDebtors } from '../payments/pay-debts.ts';
import { isClosed, readMonth } from './close-month.ts';

/** One figure of a month, in toman. */
export interface Figure {
  readonly section: string;
  readonly what: string;
  readonly toman: bigint;
}

/** Which entries a figure sums; `sign` -1 where the account falls when the figure rises. */
interface Line {
  readonly section: string;
  readonly what: string;
  readonly account: string;
  readonly sign: 1 | -1;
  readonly source?: string;
  readonly kind?: string;
  readonly purpose?: string;
}

const lines: readonly Line[] = [
  { section: 'gateways', what: 'paid out to the bank account', account: 'bank', kind: 'settlement', sign: -1 },
  { section: 'gateways', what: 'fees', account: 'fee', sign: -1 },
  { section: 'gateways', what: 'differences of settlements', account: 'settlement:difference', sign: -1 },
  { section: 'plans', what: 'sold', account: 'deferred:plan', purpose: 'purchase', sign: 1 },
  {
    section: 'plans',
    what: 'credited at an early end',
    account: 'user_wallet',
    kind: 'subscription',
    purpose: 'credit',
    sign: 1,
  },
  { section: 'plans', what: 'earned', account: 'revenue:plan', sign: 1 },
  { section: 'plans', what: 'kept at an early end', account: 'revenue:plan-ended', sign: 1 },
  { section: 'usage', what: 'earned', account: 'revenue:usage', sign: 1 },
  { section: 'VAT', what: 'of invoices, less credit notes', account: 'tax:vat', sign: 1 },
  { section: 'gift cards', what: 'sold', account: 'liability:gift-cards', source: 'gift_card_sale', sign: 1 },
  { section: 'gift cards', what: 'paid by their buyers', account: 'bank', source: 'gift_card_payment', sign: -1 },
  { section: 'gift cards', what: 'redeemed, as sold', account: 'liability:gift-cards', source: 'gift_card', sign: -1 },
  { section: 'gift cards', what: 'difference to the rate of the day', account: 'gift:rate-difference', sign: 1 },
  { section: 'gift cards', what: 'redeemed without a sale', account: 'gift:issued', sign: -1 },
  { section: 'gift cards', what: 'breakage', account: 'revenue:gift-breakage', sign: 1 },
  {
    section: 'refunds',
    what: 'taken from wallets',
    account: 'user_wallet',
    kind: 'refund',
    purpose: 'reserve',
    sign: -1,
  },
  {
    section: 'refunds',
    what: 'returned to wallets',
    account: 'user_wallet',
    kind: 'refund',
    purpose: 'return',
    sign: 1,
  },
  { section: 'refunds', what: 'arrived', account: 'refund:clearing', kind: 'refund', purpose: 'confirm', sign: -1 },
  { section: 'reversals', what: 'taken from wallets', account: 'user_wallet', purpose: 'reversal', sign: -1 },
  { section: 'reversals', what: 'new debts', account: 'receivable:chargeback', purpose: 'reversal', sign: -1 },
  { section: 'reversals', what: 'debts paid', account: 'receivable:chargeback', source: 'debt', sign: 1 },
  { section: 'corrections', what: 'adjusted in favour of users', account: 'adjustment', sign: -1 },
  { section: 'corrections', what: 'written off in our favour', account: 'writeoff', sign: 1 },
];

export interface MonthReport {
  readonly month: string;
  readonly from: string;
  readonly to: string;
  readonly isClosed: boolean;
  readonly figures: readonly Figure[];
  /** Facts of closed months, booked in this one, by their own day; toman moved. */
  readonly late: readonly { readonly day: string; readonly transfers: bigint; readonly toman: bigint }[];
  /** Every account at the end of the month; positive: owed by us or earned, negative: owed to us, held or spent. */
  readonly closing: readonly { readonly account: string; readonly toman: bigint }[];
  /** Accounts that owe us now, of debts that began until the end of the month. */
  readonly debtors: readonly { readonly account: string; readonly toman: bigint }[];
  /** Batches whose buyers owe us now. */
  readonly cardBuyers: readonly { readonly batch: string; readonly buyer: string; readonly toman: bigint }[];
}

/** The figures of a Jalali month, each a sum over the ledger by the day of the books. */
export async function reportMonth(db: Database, month: string): Promise<MonthReport> {
  const days = readMonth(month);
  const { moved, closing, late } = await sumDays(db, days);
  const end = new Date(`${days.to}T23:59:59.999+03:30`);
  const debtors = (await listDebtors(db)).filter(({ since }) => since <= end);
  const buyers = (await listSales(db)).filter((sale) => sale.owed > 0n && sale.sold_at <= end);
  return {
    month,
    ...days,
    isClosed: await isClosed(db, month),
    figures: [...receipts(moved), ...lines.map((line) => figureOf(line, moved))],
    late,
    closing,
    debtors: debtors.map((debt) => ({ account: debt.user_id, toman: debt.owed_toman })),
    cardBuyers: buyers.map(({ batch, buyer, owed }) => ({ batch, buyer, toman: owed })),
  };
}

/** What each gateway took in, whatever it paid out later. */
function receipts(moved: readonly MonthRow[]): Figure[] {
  const of = (row: MonthRow) => /^gateway:(\w+):clearing$/.exec(row.account)?.[1];
  return moved
    .filter((row) => row.kind === 'wallet_charge' && of(row) !== undefined)
    .map((row) => ({ section: 'receipts', what: of(row) ?? '', toman: -row.toman }));
}

function figureOf({ section, what, sign, ...wanted }: Line, moved: readonly MonthRow[]): Figure {
  const rows = moved.filter((row) =>
    Object.entries(wanted).every(([key, value]) => row[key as keyof MonthRow] === value),
  );
  return { section, what, toman: rows.reduce((sum, row) => sum + BigInt(sign) * row.toman, 0n) };
}

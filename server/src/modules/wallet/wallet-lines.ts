import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import { gatewayTitles } from '@raha/contract/payment-gateways.ts';
import type { WalletTransaction } from '@raha/contract/public/wallet.ts';
import { type Executor, readRows } from '../../platform/database.ts';
import {
  type LineRow,
  newestLines,
  newestLinesOf,
  selectLine,
  selectLines,
  selectLinesBefore,
  selectMovements,
  toNewestLines,
} from './line-tables.ts';

export { type LineRow, newestLinesOf, toNewestLines };

/** A page of the wallet's lines, each with its text, and the number of all of them. */
export async function listWalletLines(
  db: Executor,
  userId: string,
  page: { number: number; size: number },
  locale: Locale,
): Promise<{ transactions: WalletTransaction[]; total: number }> {
  const { rows, totals } = await selectLines(db, userId, page);
  return { transactions: rows.map((row) => toTransaction(row, locale)), total: totals.lines };
}

export async function listNewestLines(
  db: Executor,
  userId: string,
  limit: number,
  locale: Locale,
): Promise<WalletTransaction[]> {
  const rows = await readRows(db, newestLines({ userId, limit }));
  return toNewestLines(rows, limit).map((row) => toTransaction(row, locale));
}

/** Those before an instant, newest first; all of the last instant. */
export async function listLinesBefore(
  db: Executor,
  { userId, before, limit }: { readonly userId: string; readonly before: Date; readonly limit: number },
  locale: Locale,
): Promise<WalletTransaction[]> {
  return (await selectLinesBefore(db, userId, before, limit)).map((row) => toTransaction(row, locale));
}

export async function findWalletLine(
  db: Executor,
  userId: string,
  id: string,
  locale: Locale,
): Promise<WalletTransaction | undefined> {
  const row = await selectLine(db, userId, id);
  return row && toTransaction(row, locale);
}

/** Movements of the wallet in [begin, end) without usage, newest first. */
export async function listMovements(
  db: Executor,
  userId: string,
  span: { begin: Date; end: Date },
  locale: Locale,
): Promise<(WalletTransaction & { day: string })[]> {
  return (await selectMovements(db, userId, span)).map((row) => ({ ...toTransaction(row, locale), day: row.day }));
}

type Described = Pick<LineRow, 'detail' | 'plan_name_fa' | 'plan_name_en'> & { readonly type: string };

const descriptions: Record<WalletTransaction['type'], (line: Described, locale: Locale) => string> = {
  wallet_charge: ({ detail }, locale) =>
    locale === 'fa' ? `شارژ کیف پول با ${titleOf(detail, 'fa')}` : `Wallet charge by ${titleOf(detail, 'en')}`,
  gift_card: ({ detail }, locale) =>
    locale === 'fa' ? `گیفت کارت با پایان ${detail}` : `Gift card ending in ${detail}`,
  usage: ({ detail }, locale) => (locale === 'fa' ? `مصرف «${detail}»` : `Usage of “${detail}”`),
  refund: (_line, locale) => (locale === 'fa' ? 'بازگردانی وجه' : 'Refund'),
  subscription: describePlanLine,
  transfer: (_line, locale) => (locale === 'fa' ? 'انتقال بین کیف پول‌ها' : 'Transfer between wallets'),
  adjustment: ({ detail }, locale) => (adjustments[detail] ?? correction)[locale],
};

const correction = { fa: 'اصلاح حساب', en: 'Correction' };
const adjustments: Record<string, { fa: string; en: string }> = {
  reversal: { fa: 'پرداختی که بانک پس گرفت', en: 'Payment taken back by the bank' },
  owed: { fa: 'پرداخت بدهی', en: 'Debt paid' },
};

const planLines: Record<string, { fa: string; en: string }> = {
  purchase: { fa: 'خرید پلن', en: 'Plan' },
  upgrade: { fa: 'تغییر به پلن', en: 'Change to plan' },
  renewal: { fa: 'تمدید پلن', en: 'Renewal of plan' },
  credit: { fa: 'بازگشت باقی‌ماندهٔ پلن', en: 'What was left of plan' },
};

function describePlanLine({ detail, plan_name_fa, plan_name_en }: Described, locale: Locale): string {
  const what = planLines[detail]?.[locale] ?? detail;
  return locale === 'fa' ? `${what} «${plan_name_fa}»` : `${what} “${plan_name_en}”`;
}

/** A line's text. A type that exists only among payments (a renewal) gets a plan's text. */
export function describeLine(line: Described, locale: Locale): string {
  const known = line.type in descriptions ? (line.type as WalletTransaction['type']) : 'subscription';
  return descriptions[known](line, locale);
}

function titleOf(gateway: string, locale: Locale): string {
  return gateway in gatewayTitles ? gatewayTitles[gateway as keyof typeof gatewayTitles][locale] : gateway;
}

export function toTransaction(row: LineRow, locale: Locale): WalletTransaction {
  return {
    id: row.id,
    amount: toWire(row.amount),
    type: row.type,
    description: describeLine(row, locale),
    status: row.status,
    created_at: row.at.toISOString(),
  };
}

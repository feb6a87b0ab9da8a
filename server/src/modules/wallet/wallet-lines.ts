import { toWire } from '@raha/contract/money.ts';
import type { WalletTransaction } from '@raha/contract/public/wallet.ts';
import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import { gatewayTitles } from '../payments/describe-payment.ts';

/** The wallet's lines and totals, read from the view `wallet_line`; nothing is written here. */
interface LineRow {
  readonly id: string;
  readonly at: Date;
  readonly type: WalletTransaction['type'];
  readonly amount: bigint;
  readonly status: WalletTransaction['status'];
  readonly detail: string;
}

export async function listWalletLines(
  db: Executor,
  userId: string,
  page: { number: number; size: number },
  locale: 'fa' | 'en',
): Promise<WalletTransaction[]> {
  const result = await sql<LineRow>`
    SELECT id, at, type, amount, status, detail FROM wallet_line WHERE user_id = ${userId}
    ORDER BY at DESC, id DESC LIMIT ${page.size} OFFSET ${(page.number - 1) * page.size}
  `.execute(db);
  return result.rows.map((row) => describe(row, locale));
}

export async function findWalletLine(
  db: Executor,
  userId: string,
  id: string,
  locale: 'fa' | 'en',
): Promise<WalletTransaction | undefined> {
  const result = await sql<LineRow>`
    SELECT id, at, type, amount, status, detail FROM wallet_line WHERE user_id = ${userId} AND id = ${id}
  `.execute(db);
  return result.rows[0] && describe(result.rows[0], locale);
}

/** What moved the wallet in [begin, end), usage apart, newest first. */
export async function listMovements(
  db: Executor,
  userId: string,
  span: { begin: Date; end: Date },
  locale: 'fa' | 'en',
): Promise<(WalletTransaction & { day: string })[]> {
  const result = await sql<LineRow & { day: string }>`
    SELECT id, at, type, amount, status, detail, to_char(at AT TIME ZONE 'Asia/Tehran', 'YYYY-MM-DD') AS day FROM wallet_line
    WHERE user_id = ${userId} AND type <> 'usage' AND status = 'completed' AND at >= ${span.begin} AND at < ${span.end}
    ORDER BY at DESC, id DESC
  `.execute(db);
  return result.rows.map((row) => ({ ...describe(row, locale), day: row.day }));
}

export async function sumWalletLines(
  db: Executor,
  userId: string,
): Promise<{ deposits: bigint; withdrawals: bigint; lines: number }> {
  const result = await sql<{ deposits: bigint; withdrawals: bigint; lines: bigint }>`
    SELECT coalesce(sum(amount) FILTER (WHERE amount > 0 AND status = 'completed'), 0) AS deposits,
      coalesce(-sum(amount) FILTER (WHERE amount < 0 AND status = 'completed'), 0) AS withdrawals, count(*) AS lines
    FROM wallet_line WHERE user_id = ${userId}
  `.execute(db);
  const row = result.rows[0] as { deposits: bigint; withdrawals: bigint; lines: bigint };
  return { deposits: row.deposits, withdrawals: row.withdrawals, lines: Number(row.lines) };
}

const descriptions: Record<
  WalletTransaction['type'],
  { fa: (detail: string) => string; en: (detail: string) => string }
> = {
  wallet_charge: {
    fa: (gateway) => `شارژ کیف پول با ${titleOf(gateway, 'fa')}`,
    en: (gateway) => `Wallet charge by ${titleOf(gateway, 'en')}`,
  },
  gift_card: { fa: (last4) => `گیفت کارت با پایان ${last4}`, en: (last4) => `Gift card ending in ${last4}` },
  usage: { fa: (config) => `مصرف «${config}»`, en: (config) => `Usage of “${config}”` },
  refund: { fa: () => 'بازگردانی وجه', en: () => 'Refund' },
  subscription: { fa: (detail) => ofPlan(detail, 'fa'), en: (detail) => ofPlan(detail, 'en') },
  transfer: { fa: () => 'انتقال بین کیف پول‌ها', en: () => 'Transfer between wallets' },
  adjustment: { fa: () => 'اصلاح حساب', en: () => 'Correction' },
};

const planLines: Record<string, { fa: string; en: string }> = {
  purchase: { fa: 'خرید پلن', en: 'Plan' },
  upgrade: { fa: 'تغییر به پلن', en: 'Change to plan' },
  renewal: { fa: 'تمدید پلن', en: 'Renewal of plan' },
  credit: { fa: 'بازگشت باقی‌ماندهٔ پلن', en: 'What was left of plan' },
};

/** `kind|Persian name|English name`, as the view has it. */
function ofPlan(detail: string, locale: 'fa' | 'en'): string {
  const [kind = '', fa = '', en = ''] = detail.split('|');
  const what = planLines[kind]?.[locale] ?? kind;
  return locale === 'fa' ? `${what} «${fa}»` : `${what} “${en}”`;
}

/** A line in words; types of other lines than the wallet's are called by the nearest one. */
export function lineDescription(type: string, detail: string, locale: 'fa' | 'en'): string {
  const known = type in descriptions ? (type as WalletTransaction['type']) : 'subscription';
  return descriptions[known][locale](detail);
}

function titleOf(gateway: string, locale: 'fa' | 'en'): string {
  return gateway in gatewayTitles ? gatewayTitles[gateway as keyof typeof gatewayTitles][locale] : gateway;
}

function describe(row: LineRow, locale: 'fa' | 'en'): WalletTransaction {
  return {
    id: row.id,
    amount: toWire(row.amount),
    type: row.type,
    description: lineDescription(row.type, row.detail, locale),
    status: row.status,
    created_at: row.at.toISOString(),
  };
}

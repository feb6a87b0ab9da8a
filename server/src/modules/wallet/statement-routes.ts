import { limits } from '@raha/contract/limits.ts';
import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import type { statement } from '@raha/contract/public/statement.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import type { MinuteLimit } from '../../platform/minute-limit.ts';
import { listUserLines, type UserLine } from '../ledger/user-lines.ts';
import { requireActive, type SignedInCaller } from '../sessions/caller.ts';
import { readStatement } from './statement.ts';
import { statementCsv } from './statement-csv.ts';
import { selectBounds } from './statement-tables.ts';
import { beginOf } from './wallet-sums.ts';

/** A file contains at most ten years of days. */
const ALL_DAYS = { number: 1, size: 3_660 };

export function statementRoutes(deps: {
  db: Database;
  clock: Clock;
  minuteLimit: MinuteLimit;
}): Handlers<typeof statement, SignedInCaller, unknown> {
  return {
    async getStatement({ caller, query, locale }) {
      const userId = requireActive(caller.user).id;
      const since = beginOf(query.period, deps.clock.now());
      const page = { number: query.page, size: query.per_page };
      const { days, count } = await readStatement(deps.db, userId, since, page, locale);
      return { success: true, data: { days, pagination: paginationOf(query, count) } };
    },
    async getStatementDay({ caller, params, query, locale }) {
      const userId = requireActive(caller.user).id;
      const { begin, end } = await selectBounds(deps.db, { first: params.day, last: params.day });
      const page = { number: query.page, size: query.per_page };
      const { lines, count, sum } = await listUserLines(deps.db, userId, { from: begin, to: end }, page);
      return {
        success: true,
        data: {
          lines: lines.map((line) => ({
            id: line.id,
            kind: line.kind,
            description: descriptionOf(line, locale),
            amount: toWire(line.amount),
            created_at: line.at.toISOString(),
          })),
          sum: toWire(sum),
          pagination: paginationOf(query, count),
        },
      };
    },
    async exportStatement({ caller, query, locale, reply }) {
      const userId = requireActive(caller.user).id;
      deps.minuteLimit.take(`files of ${userId}`, limits.http.filesPerMinute);
      const since = beginOf(query.period, deps.clock.now());
      const { days } = await readStatement(deps.db, userId, since, ALL_DAYS, locale);
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="raha-statement.csv"')
        .header('cache-control', 'no-store')
        .send(statementCsv(days.reverse(), locale));
    },
  };
}

function paginationOf(query: { page: number; per_page: number }, total: number) {
  return { page: query.page, total_pages: Math.max(1, Math.ceil(total / query.per_page)), total };
}

const kinds: Record<string, { fa: string; en: string }> = {
  usage: { fa: 'ثبت مصرف', en: 'Usage booked' },
  wallet_charge: { fa: 'شارژ کیف پول', en: 'Wallet charge' },
  gift_card: { fa: 'گیفت کارت', en: 'Gift card' },
  refund: { fa: 'بازگردانی وجه', en: 'Refund' },
  reversal: { fa: 'برگشت پرداخت از سوی بانک', en: 'Payment taken back by the bank' },
  transfer: { fa: 'انتقال بین کیف پول‌ها', en: 'Transfer between wallets' },
  subscription: { fa: 'پلن', en: 'Plan' },
  adjustment: { fa: 'اصلاح حساب', en: 'Correction' },
};

function descriptionOf(line: UserLine, locale: Locale): string {
  return kinds[line.kind]?.[locale] ?? line.kind;
}

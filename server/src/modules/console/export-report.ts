import type { DailyReport } from '@raha/contract/admin/reports.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { ExchangeRateSource } from '../currency/exchange-rate.ts';
import type { Days } from '../ledger/reports.ts';
import { reportNodes } from '../reports/reports.ts';
import { cell, numericDate } from '../wallet/statement-csv.ts';
import { readDailyReport } from './describe-reports.ts';

interface Deps {
  readonly db: Database;
  readonly audit: Audit;
  readonly exchangeRate: ExchangeRateSource;
}

/** A report as CSV (RFC 4180, with a byte order mark). Days stand twice, as ISO and Jalali. The audit keeps that it was taken. */
export async function exportReport(
  deps: Deps,
  actor: Actor,
  report: DailyReport | 'nodes',
  days: Days,
): Promise<string> {
  const rows = report === 'nodes' ? await nodeRows(deps, days) : await dailyRows(deps, report, days);
  const details = { report, ...days, lines: rows.length - 1 };
  await inTransaction(deps.db, (tx) => deps.audit.record(tx, actor, { action: 'reports.export', details }));
  return `\ufeff${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

type Row = readonly (string | number)[];

async function dailyRows({ db }: Deps, report: DailyReport, days: Days): Promise<Row[]> {
  const rows = await readDailyReport(db, report, days);
  return [
    ['day', 'jalali_day', 'what', 'count', 'toman'],
    ...rows.map(({ day, what, count, toman }) => [day, numericDate(day, 'fa'), what, count ?? '', Number(toman)]),
  ];
}

async function nodeRows({ db, exchangeRate }: Deps, days: Days): Promise<Row[]> {
  const rows = await reportNodes(db, exchangeRate, days);
  const amount = (toman: bigint | undefined) => (toman === undefined ? '' : Number(toman));
  return [
    ['node', 'status', 'from', 'to', 'jalali_from', 'jalali_to', 'gb', 'charged', 'cost', 'margin'],
    ...rows.map(({ node, status, gb, charged, cost, margin }) => [
      ...[node, status, days.from, days.to, numericDate(days.from, 'fa'), numericDate(days.to, 'fa')],
      ...[gb, amount(charged), amount(cost), amount(margin)],
    ]),
  ];
}

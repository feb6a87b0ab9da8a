import { staffLimits } from '@raha/contract/admin/limits.ts';
import type {
  DailyReport,
  Liability,
  NodeReportLine,
  PlanReportLine,
  ReportSeries,
} from '@raha/contract/admin/reports.ts';
import { toWire } from '@raha/contract/money.ts';
import { addDays } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Days } from '../ledger/reports.ts';
import {
  daysOf,
  type NodeMargin,
  type PlanLine,
  type reportLiability,
  reportRefunds,
  reportTakings,
  reportUsage,
} from '../reports/reports.ts';

/** One day of one series, as the reports of the command line have it. */
export interface DailyRow {
  readonly day: string;
  readonly what: string;
  readonly count: number | null;
  readonly toman: bigint;
}

/** The days that were asked for. Refuses a first day after the last one, and more days than a report has. */
export function reportDays(given: { readonly from?: string | undefined; readonly to?: string | undefined }, now: Date) {
  const last = given.to === undefined ? now : new Date(`${given.to}T12:00:00+03:30`);
  // Of a last day alone, the thirty days until it.
  const days = daysOf({ from: given.from, to: given.to }, last);
  const { days: most } = staffLimits.reports;
  const end = addDays(new Date(`${days.from}T00:00:00Z`), most)
    .toISOString()
    .slice(0, 10);
  if (days.from > days.to || days.to >= end) throw new Refusal('report_days', { details: { days: most } });
  return days;
}

export async function readDailyReport(db: Executor, report: DailyReport, days: Days): Promise<DailyRow[]> {
  if (report === 'takings')
    return (await reportTakings(db, days)).map(({ day, gateway, payments, toman }) => {
      return { day, what: gateway, count: payments, toman };
    });
  if (report === 'usage')
    return (await reportUsage(db, days)).map(({ day, revenue, toman }) => ({ day, what: revenue, count: null, toman }));
  return (await reportRefunds(db, days)).map(({ day, step, count, toman }) => ({ day, what: step, count, toman }));
}

/** By series, the largest first. */
export function describeDailyReport(report: DailyReport, days: Days, rows: readonly DailyRow[]) {
  const names = [...new Set(rows.map(({ what }) => what))];
  const series = names.map((what): ReportSeries => {
    const own = rows.filter((row) => row.what === what);
    return {
      what,
      toman: toWire(sum(own)),
      count: report === 'usage' ? null : own.reduce((count, row) => count + (row.count ?? 0), 0),
      days: own.map(({ day, count, toman }) => ({ day, count, toman: toWire(toman) })),
    };
  });
  series.sort((a, b) => Math.abs(b.toman) - Math.abs(a.toman) || (a.what < b.what ? -1 : 1));
  // Money of a refund is reserved, and confirmed or returned later: a sum of the steps would say nothing.
  return { report, ...days, total: report === 'refunds' ? null : toWire(sum(rows)), series };
}

const sum = (rows: readonly DailyRow[]) => rows.reduce((total, { toman }) => total + toman, 0n);

export function describeNodeReport(nodes: readonly NodeMargin[]): NodeReportLine[] {
  const wire = (amount: bigint | undefined) => (amount === undefined ? null : toWire(amount));
  return nodes.map(({ node: name, status, gb, charged, cost, margin }) => {
    return { name, status, gb, charged: toWire(charged), cost: wire(cost), margin: wire(margin) };
  });
}

export function describePlanReport(lines: readonly PlanLine[]): PlanReportLine[] {
  return lines.map(({ version, from, price, toman, ...counts }) => ({
    ...counts,
    version: version ?? null,
    from: from === undefined || from.getTime() === 0 ? null : from.toISOString(),
    price: price === undefined ? null : toWire(price),
    toman: toWire(toman),
  }));
}

/** Amounts only: whose they are stands on other screens. */
export function describeLiability(owed: Awaited<ReturnType<typeof reportLiability>>, at: Date) {
  const amounts: Readonly<Record<Liability, bigint | undefined>> = {
    wallets: owed.wallets,
    remainders: owed.remainders,
    leases: owed.leases,
    refunds: owed.refundsUnderWay,
    debts: -owed.debts.reduce((total, debt) => total + debt.owed_toman, 0n),
    gift_cards: owed.giftCards.toman === undefined ? undefined : BigInt(owed.giftCards.toman),
    sold_cards: owed.soldCards,
    vat: owed.vat,
    unearned_plans: owed.unearnedPlans,
    plans: owed.plans,
  };
  return {
    at: at.toISOString(),
    lines: (Object.entries(amounts) as [Liability, bigint | undefined][]).map(([what, amount]) => {
      return { what, toman: amount === undefined ? null : toWire(amount) };
    }),
    cards: { count: Number(owed.giftCards.cards), usd_cents: Number(owed.giftCards.usdCents) },
    debtors: owed.debts.length,
  };
}

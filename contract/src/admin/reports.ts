import * as z from 'zod/mini';
import { id, instant, toman, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { staffLimits } from './limits.ts';

/** Reports, as the command line prints them. Every amount is a sum over the ledger, in toman; days are those of the books, in Tehran. */

export const dailyReports = ['takings', 'usage', 'refunds'] as const;
export type DailyReport = (typeof dailyReports)[number];

const day = z.iso.date();
const series = z.object({
  /** A gateway, a kind of revenue, or a step of refunds and reversals. */
  what: z.string(),
  toman,
  /** Payments or steps; null where the report counts none. */
  count: z.nullable(z.int()),
  /** Days on which there was something, oldest first. */
  days: z.array(z.object({ day, toman, count: z.nullable(z.int()) })),
});
export type ReportSeries = z.output<typeof series>;

export const nodeReportLine = z.object({
  name: z.string(),
  status: z.string(),
  gb: z.number(),
  /** Charged to wallets by the byte; what plans cover is not in it. */
  charged: toman,
  /** At the exchange rate of now; null without a cost or a rate. */
  cost: z.nullable(toman),
  margin: z.nullable(toman),
});
export type NodeReportLine = z.output<typeof nodeReportLine>;

export const planReportLine = z.object({
  plan: z.string(),
  /** Null, as its moment and price: bought before versions were kept. */
  version: z.nullable(id),
  /** Null also of the first version: since before versions were kept. */
  from: z.nullable(instant),
  price: z.nullable(toman),
  sold: z.int(),
  /** Begun, and neither over nor ended early. */
  running: z.int(),
  cancelled: z.int(),
  /** Paid at the sale, less what was credited at an early end. */
  toman,
});
export type PlanReportLine = z.output<typeof planReportLine>;

/** `debts` is owed to us. `remainders` is a part of the wallets, `plans` what would come back of `unearned_plans` now. */
export const liabilities = [
  'wallets',
  'remainders',
  'leases',
  'refunds',
  'debts',
  'gift_cards',
  'sold_cards',
  'vat',
  'unearned_plans',
  'plans',
] as const;
export type Liability = (typeof liabilities)[number];

const given = z.optional(z.iso.date('invalid'));
/** The last thirty days by default; both count. */
const span = { from: given, to: given };

export const reportCalls = {
  getDailyReport: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/reports/daily',
    caller: 'staff',
    may: 'reports.read',
    proof: 'none',
    reason: 'none',
    summary: `Takings, revenue or refunds by day, of at most ${staffLimits.reports.days} days`,
    query: z.object({ report: z.enum(dailyReports, 'invalid'), ...span }),
    response: wrapped(
      z.object({
        report: z.enum(dailyReports),
        from: day,
        to: day,
        /** Null where series count the same money more than once. */
        total: z.nullable(toman),
        series: z.array(series),
      }),
    ),
  }),
  exportDailyReport: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/reports/daily.csv',
    caller: 'staff',
    may: 'reports.read',
    proof: 'none',
    reason: 'none',
    summary: 'The same as a spreadsheet; the audit keeps that it was taken',
    query: z.object({ report: z.enum(dailyReports, 'invalid'), ...span }),
    produces: 'text/csv',
  }),
  getNodeReport: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/reports/nodes',
    caller: 'staff',
    may: 'fleet.margins',
    proof: 'none',
    reason: 'none',
    summary: 'Traffic, charge, cost and margin of each server in these days',
    query: z.object(span),
    response: wrapped(z.object({ from: day, to: day, nodes: z.array(nodeReportLine) })),
  }),
  exportNodeReport: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/reports/nodes.csv',
    caller: 'staff',
    may: 'fleet.margins',
    proof: 'none',
    reason: 'none',
    summary: 'The same as a spreadsheet; the audit keeps that it was taken',
    query: z.object(span),
    produces: 'text/csv',
  }),
  getPlanReport: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/reports/plans',
    caller: 'staff',
    may: 'reports.read',
    proof: 'none',
    reason: 'none',
    summary: 'How many of each version of a plan were sold, run and were cancelled, and what they brought',
    /** `until`: what was sold later is not counted yet. */
    response: wrapped(z.object({ until: instant, lines: z.array(planReportLine) })),
  }),
  getLiability: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/reports/liability',
    caller: 'staff',
    may: 'reports.read',
    proof: 'none',
    reason: 'none',
    summary: 'What is owed now; counted at most every ten minutes',
    response: wrapped(
      z.object({
        at: instant,
        /** Null without an exchange rate. */
        lines: z.array(z.object({ what: z.enum(liabilities), toman: z.nullable(toman) })),
        cards: z.object({ count: z.int(), usd_cents: z.int() }),
        debtors: z.int(),
      }),
    ),
  }),
};

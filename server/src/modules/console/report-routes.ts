import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { reportCalls } from '@raha/contract/admin/reports.ts';
import type { FastifyReply } from 'fastify';
import type { Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { MinuteLimit } from '../../platform/minute-limit.ts';
import type { ExchangeRateSource } from '../currency/exchange-rate.ts';
import { reportLiability, reportNodes, reportPlans } from '../reports/reports.ts';
import { type AdminHandlers, actorOf, type StaffCaller } from '../staff/admit.ts';
import {
  describeDailyReport,
  describeLiability,
  describeNodeReport,
  describePlanReport,
  readDailyReport,
  reportDays,
} from './describe-reports.ts';
import { exportReport } from './export-report.ts';
import { remember } from './remember.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly minuteLimit: MinuteLimit;
  readonly exchangeRate: ExchangeRateSource;
}

/** What is owed is a sum over the whole ledger, so it is read once for all who look within so many seconds. */
const LIABILITY = 600;

/** The reports of the command line, as screens and as files. */
export function reportRoutes(deps: Deps): AdminHandlers<typeof reportCalls> {
  const { db, clock, exchangeRate } = deps;
  const liability = remember(clock, LIABILITY, () => reportLiability(db, exchangeRate, clock.now()));
  const count = ({ userId }: StaffCaller) =>
    deps.minuteLimit.take(`staff reports of ${userId}`, staffLimits.reports.perMinute);
  const send = async (
    caller: StaffCaller,
    reply: FastifyReply,
    report: Parameters<typeof exportReport>[2],
    query: Parameters<typeof reportDays>[0],
  ) => {
    deps.minuteLimit.take(`staff files of ${caller.userId}`, staffLimits.reports.filesPerMinute);
    const days = reportDays(query, clock.now());
    const text = await exportReport(deps, actorOf(caller), report, days);
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="raha-${report}-${days.from}-${days.to}.csv"`)
      .header('cache-control', 'no-store')
      .send(text);
  };
  return {
    async getDailyReport({ caller, query }) {
      count(caller);
      const days = reportDays(query, clock.now());
      const rows = await readDailyReport(db, query.report, days);
      return { success: true, data: describeDailyReport(query.report, days, rows) };
    },
    exportDailyReport: ({ caller, query, reply }) => send(caller, reply, query.report, query),
    async getNodeReport({ caller, query }) {
      count(caller);
      const days = reportDays(query, clock.now());
      const nodes = describeNodeReport(await reportNodes(db, exchangeRate, days));
      return { success: true, data: { ...days, nodes } };
    },
    exportNodeReport: ({ caller, query, reply }) => send(caller, reply, 'nodes', query),
    async getPlanReport({ caller }) {
      count(caller);
      const { until, lines } = await reportPlans(db, clock.now());
      return { success: true, data: { until: until.toISOString(), lines: describePlanReport(lines) } };
    },
    async getLiability() {
      const { value, at } = await liability.read();
      return { success: true, data: describeLiability(value, at) };
    },
  };
}

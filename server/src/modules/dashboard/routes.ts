import { limits } from '@raha/contract/limits.ts';
import type { Locale } from '@raha/contract/locale.ts';
import type { dashboard } from '@raha/contract/public/dashboard.ts';
import { readTogether } from '../../platform/database.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import type { RowsOfEach } from '../../platform/statements.ts';
import type { ConfigDeps } from '../configs/create-config.ts';
import { describeUsualCharge } from '../payments/usual-charge.ts';
import { type ReadAhead, requireProfile, type SignedInCaller } from '../sessions/caller.ts';
import { listNewestLines } from '../wallet/wallet-lines.ts';
import { describeRecent, listActivity } from './activity.ts';
import { daysOf, type Figures } from './figure-routes.ts';
import {
  decideOutlook,
  describeBalance,
  describeOverview,
  describeSubscription,
  overviewReads,
  readConfigs,
  recommend,
} from './overview.ts';
import { events, traffic } from './tables.ts';
import { describeTraffic, MONTH, readTraffic, resetTraffic } from './traffic.ts';

/** All that the first page shows of a user. */
function dashboardReads(userId: string, now: Date) {
  const limit = limits.dashboard.activities;
  return [...overviewReads(userId, now), ...trafficReads(userId, now), events({ userId, limit })] as const;
}

function trafficReads(userId: string, now: Date) {
  return [traffic({ userId, daysBefore: MONTH - 1, now })] as const;
}

/** By call: what is read while its caller is found. */
export const readsAhead = { getDashboard: dashboardReads, getDashboardTraffic: trafficReads } satisfies {
  readonly [K in keyof typeof dashboard]?: ReadAhead;
};

/** The data of the panel's first page. */
export function dashboardRoutes(
  deps: ConfigDeps & Parameters<typeof describeUsualCharge>[0],
): Handlers<Omit<typeof dashboard, keyof Figures>, SignedInCaller, unknown> {
  const { recentPayments, trafficPeriod, activities } = limits.dashboard;
  const recentLines = (userId: string, locale: Locale) => listNewestLines(deps.db, userId, recentPayments, locale);
  return {
    async getDashboard({ caller, locale }) {
      const user = requireProfile(caller.user);
      const [periods, nodes, days, found] = caller.ahead as RowsOfEach<ReturnType<typeof dashboardReads>>;
      const overview = await describeOverview(deps, caller, [periods, nodes], locale);
      const { quickStats, trend, lastDay } = describeTraffic(days, MONTH, deps.clock.now());
      const outlook = decideOutlook(overview, lastDay);
      const recent = describeRecent(found, activities, locale);
      return {
        success: true,
        data: {
          user: { id: user.id, name: user.name, balance: overview.balance },
          service: overview.service,
          outlook: outlook ?? null,
          usualCharge: await describeUsualCharge(deps, recent.lastCharge, locale),
          quickStats,
          subscriptionStatus: describeSubscription(user, overview),
          activeConfigs: overview.configs.filter(({ status }) => status === 'active'),
          otherConfigs: overview.configs.filter(({ status }) => status !== 'active'),
          connection: await overview.connection(),
          recentTransactions: recent.lines.slice(0, recentPayments),
          charts: { trafficTrend: trend(daysOf(trafficPeriod)) },
          recentLogs: recent.activities,
          recommendations: recommend(user, overview, locale, outlook),
        },
      };
    },
    async getDashboardTraffic({ caller, query }) {
      const userId = requireProfile(caller.user).id;
      const days = daysOf(query.period);
      const [month] = caller.ahead as RowsOfEach<ReturnType<typeof trafficReads>>;
      const { quickStats, trend } =
        days <= MONTH ? describeTraffic(month, MONTH, deps.clock.now()) : await readTraffic(deps, userId, days);
      const trafficTrend = trend(days);
      const periodTraffic = trafficTrend.data.reduce((sum, { value }) => sum + value, 0);
      return { success: true, data: { quickStats, trafficTrend, periodTraffic } };
    },
    async resetDashboardTraffic({ caller }) {
      const userId = requireProfile(caller.user).id;
      await resetTraffic(deps, userId);
      return { success: true, data: { quickStats: (await readTraffic(deps, userId)).quickStats } };
    },
    async getDashboardWallet({ caller, locale }) {
      const userId = requireProfile(caller.user).id;
      return {
        success: true,
        data: { ...describeBalance(caller.accounts), recentTransactions: await recentLines(userId, locale) },
      };
    },
    async getActivity({ caller, query, locale }) {
      const userId = requireProfile(caller.user).id;
      const { activities } = await listActivity(deps.db, userId, query.limit, locale);
      return { success: true, data: { activities } };
    },
    async getRecommendations({ caller, locale }) {
      const user = requireProfile(caller.user);
      const found = await readTogether(deps.db, overviewReads(user.id, deps.clock.now()));
      const overview = await describeOverview(deps, caller, found, locale);
      return { success: true, data: { recommendations: recommend(user, overview, locale) } };
    },
    async getDashboardConfigs({ caller }) {
      requireProfile(caller.user);
      const configs = await readConfigs(deps, caller);
      return { success: true, data: { configs: configs.filter(({ status }) => status === 'active') } };
    },
  };
}

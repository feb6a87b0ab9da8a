import { limits } from '@raha/contract/limits.ts';
import type { Locale } from '@raha/contract/locale.ts';
import type { dashboard } from '@raha/contract/public/dashboard.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import type { ConfigDeps } from '../configs/create-config.ts';
import { describeUsualCharge } from '../payments/usual-charge.ts';
import { requireProfile, type SignedInCaller } from '../sessions/caller.ts';
import { listNewestLines } from '../wallet/wallet-lines.ts';
import { listActivity } from './activity.ts';
import { daysOf, type Figures } from './figure-routes.ts';
import {
  decideOutlook,
  describeBalance,
  describeSubscription,
  readConfigs,
  readOverview,
  recommend,
} from './overview.ts';
import { readTraffic, resetTraffic } from './traffic.ts';

/** The data of the panel's first page. */
export function dashboardRoutes(
  deps: ConfigDeps & Parameters<typeof describeUsualCharge>[0],
): Handlers<Omit<typeof dashboard, keyof Figures>, SignedInCaller, unknown> {
  const { recentPayments, trafficPeriod, activities } = limits.dashboard;
  const recentLines = (userId: string, locale: Locale) => listNewestLines(deps.db, userId, recentPayments, locale);
  return {
    async getDashboard({ caller, locale }) {
      const user = requireProfile(caller.user);
      const overview = await readOverview(deps, caller, locale);
      const { quickStats, trend, lastDay } = await readTraffic(deps, user.id);
      const outlook = decideOutlook(overview, lastDay);
      const recent = await listActivity(deps.db, user.id, activities, locale);
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
      const { quickStats, trend } = await readTraffic(deps, userId, days);
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
      const overview = await readOverview(deps, caller, locale);
      return { success: true, data: { recommendations: recommend(user, overview, locale) } };
    },
    async getDashboardConfigs({ caller }) {
      requireProfile(caller.user);
      const configs = await readConfigs(deps, caller);
      return { success: true, data: { configs: configs.filter(({ status }) => status === 'active') } };
    },
  };
}

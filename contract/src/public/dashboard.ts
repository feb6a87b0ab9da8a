import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { bytes, id, instant, toman, wrapped } from '../shapes.ts';
import { config, connectionState, location } from './configs.ts';
import { service } from './service.ts';
import { trial } from './trial.ts';
import { period, transactionTypes, usualCharge, walletTransaction } from './wallet.ts';

/** The dashboard of the caller, and the figures behind it. */

/** A stretch of whole days of Tehran that ends today: `7d`. */
const days = (initial: string) =>
  z._default(z.string('invalid').check(z.regex(/^([1-9]|[1-9]\d|[12]\d\d|3[0-6]\d)d$/, 'invalid')), initial);

/** A series in the shape of charts: `labels[i]` belongs to `data[i]`; oldest first, nothing left out. */
const bytesTrend = z.object({
  labels: z.array(z.string()),
  data: z.array(z.object({ label: z.string(), value: bytes })),
});
export type BytesTrend = z.output<typeof bytesTrend>;

export const subscriptionOverview = z.object({
  /** Null without a plan of one's own. */
  id: z.nullable(id),
  plan: z.nullable(
    z.object({
      id: z.string(),
      name: z.string(),
      /** Bytes; null: unlimited. */
      traffic_limit: z.nullable(bytes),
      /** Mbit/s of each device; null: not limited. Copies of before have none. */
      max_mbit: z.optional(z.nullable(z.int())),
      /** Servers that the plan may be used on. */
      servers_count: z.int(),
    }),
  ),
  /** `perpetual` from activation on; `limited` while a plan runs. */
  type: z.nullable(z.enum(['perpetual', 'limited'])),
  status: z.enum(['active', 'trial', 'expired', 'inactive']),
  isTrial: z.boolean(),
  isActive: z.boolean(),
  /** When plan or trial ends; null when nothing does. */
  endDate: z.nullable(instant),
  daysRemaining: z.nullable(z.int()),
  /** The days of the whole: of the plan's period, or from registration to the end of the trial. */
  days: z.nullable(z.int()),
  /** The trial until its last day, whether or not it ended before. */
  trial: z.nullable(trial),
  traffic_used: bytes,
  max_devices: z.nullable(z.int()),
  devices_used: z.int(),
});
export type SubscriptionOverview = z.output<typeof subscriptionOverview>;

export const activityTypes = ['sign_in', 'config_created', 'config_deleted', 'wallet'] as const;
export const activity = z.object({
  id: z.string(),
  type: z.enum(activityTypes),
  title: z.string(),
  /** For movements of the wallet. */
  amount: z.nullable(toman),
  created_at: instant,
});
export type Activity = z.output<typeof activity>;

export const quickStats = z.object({
  /** Bytes since the last reset of the window, or of all time. */
  totalTraffic: bytes,
  todayTraffic: bytes,
  weeklyTraffic: bytes,
  monthlyTraffic: bytes,
  /** When the window of totalTraffic began; null: of all time. */
  since: z.nullable(instant),
});

export const recommendationKinds = [
  'activate',
  'top_up',
  'create_config',
  'change_server',
  'renew_plan',
  'connect_device',
] as const;
export const recommendation = z.object({
  kind: z.enum(recommendationKinds),
  message: z.string(),
  /** Where in the panel it is done. */
  href: z.string(),
});
export type Recommendation = z.output<typeof recommendation>;

const serverStats = z.object({
  id,
  name: z.string(),
  location,
  isOnline: z.boolean(),
  /** 0 to 1. */
  currentLoad: z.number(),
  /** The caller's own configs and bytes on it. */
  configs: z.int(),
  traffic: bytes,
});

const dashboardPage = z.object({
  user: z.object({ id, name: z.string(), balance: toman }),
  /** Whether the service is there, and if not, why. */
  service: z.optional(service),
  /**
   * How long the wallet lasts at the pace of the last 24 hours; null without a pace, and while a plan or a trial pays.
   */
  outlook: z.optional(
    z.nullable(
      z.object({
        hours: z.int(),
        /** Whether it is low enough to say so. */
        isLow: z.boolean(),
        /** What the last 24 hours used and cost. */
        day_bytes: bytes,
        day_charged: toman,
      }),
    ),
  ),
  /** For charging with one button. */
  usualCharge: z.optional(usualCharge),
  quickStats,
  subscriptionStatus: subscriptionOverview,
  activeConfigs: z.array(config),
  /** Those that are switched off or have expired. */
  otherConfigs: z.array(config),
  /** As `/connection/status` answers, so that the first page does not request it as well; null without service. */
  connection: z.nullable(connectionState),
  recentTransactions: z.array(walletTransaction),
  charts: z.object({ trafficTrend: bytesTrend }),
  recentLogs: z.array(activity),
  recommendations: z.array(recommendation),
});
export type Dashboard = z.output<typeof dashboardPage>;

export const dashboard = {
  getDashboard: defineEndpoint({
    method: 'GET',
    path: '/user/dashboard',
    aliases: ['/dashboard'],
    caller: 'user',
    summary: 'Everything the first page of the panel shows',
    response: wrapped(dashboardPage),
  }),
  getDashboardTraffic: defineEndpoint({
    method: 'GET',
    path: '/user/dashboard/traffic',
    caller: 'user',
    summary: 'Traffic per day of Tehran, and the totals',
    query: z.object({ period: days(limits.dashboard.trafficPeriod) }),
    response: wrapped(z.object({ quickStats, trafficTrend: bytesTrend, periodTraffic: bytes })),
  }),
  resetDashboardTraffic: defineEndpoint({
    method: 'POST',
    path: '/user/dashboard/traffic/reset',
    caller: 'user',
    summary: 'Begin a new window for the total; nothing that was counted is lost',
    response: wrapped(z.object({ quickStats })),
  }),
  getDashboardWallet: defineEndpoint({
    method: 'GET',
    path: '/user/dashboard/wallet',
    aliases: ['/dashboard/wallet'],
    caller: 'user',
    summary: 'Balance and the latest movements',
    response: wrapped(z.object({ balance: toman, reserved: toman, recentTransactions: z.array(walletTransaction) })),
  }),
  getFinancialStats: defineEndpoint({
    method: 'GET',
    path: '/dashboard/stats/financial',
    caller: 'user',
    summary: 'Money in and out over a period',
    query: z.object({ period }),
    response: wrapped(
      z.object({
        totalDeposits: toman,
        totalWithdrawals: toman,
        totalTransactions: z.int(),
        usageCost: toman,
        byType: z.array(z.object({ type: z.enum(transactionTypes), amount: toman, count: z.int() })),
      }),
    ),
  }),
  getServerStats: defineEndpoint({
    method: 'GET',
    path: '/dashboard/stats/servers',
    caller: 'user',
    summary: 'Servers with their load, and what the caller uses of them',
    response: wrapped(z.object({ total: z.int(), online: z.int(), countries: z.int(), servers: z.array(serverStats) })),
  }),
  getTrafficStats: defineEndpoint({
    method: 'GET',
    path: '/dashboard/stats/traffic',
    caller: 'user',
    summary: 'Traffic over a period by hour, day, config or server',
    query: z.object({
      period: days(limits.dashboard.trafficPeriod),
      groupBy: z._default(z.enum(['hour', 'day', 'config', 'server'], 'invalid'), 'day'),
    }),
    response: wrapped(
      z.object({
        groupBy: z.enum(['hour', 'day', 'config', 'server']),
        total: bytes,
        groups: z.array(z.object({ label: z.string(), up: bytes, down: bytes, charged: toman })),
      }),
    ),
  }),
  getDashboardRealtime: defineEndpoint({
    method: 'GET',
    path: '/dashboard/realtime',
    caller: 'user',
    summary: 'What goes on at this moment',
    response: wrapped(
      z.object({
        balance: toman,
        connected: z.int(),
        /** Bits per second of all configs together. */
        uploadSpeed: z.number(),
        downloadSpeed: z.number(),
        sampledAt: z.nullable(instant),
      }),
    ),
  }),
  getPerformance: defineEndpoint({
    method: 'GET',
    path: '/dashboard/performance',
    caller: 'user',
    summary: 'One measure over a period, per hour up to two days, else per day',
    query: z.object({
      /** `traffic` bytes, `speed` mean bits per second, `cost` toman. */
      metric: z._default(z.enum(['traffic', 'speed', 'cost'], 'invalid'), 'traffic'),
      period: days(limits.dashboard.trafficPeriod),
    }),
    response: wrapped(
      z.object({
        metric: z.enum(['traffic', 'speed', 'cost']),
        unit: z.enum(['bytes', 'bits_per_second', 'toman']),
        points: z.array(z.object({ at: z.string(), value: z.number() })),
      }),
    ),
  }),
  getActivity: defineEndpoint({
    method: 'GET',
    path: '/dashboard/activity',
    caller: 'user',
    summary: 'What happened on the account lately, newest first',
    query: z.object({
      limit: z._default(
        z.coerce.number().check(z.int(), z.gte(1), z.lte(limits.page.max)),
        limits.dashboard.activities,
      ),
    }),
    response: wrapped(z.object({ activities: z.array(activity) })),
  }),
  getRecommendations: defineEndpoint({
    method: 'GET',
    path: '/dashboard/recommendations',
    caller: 'user',
    summary: 'What is worth doing next, most pressing first',
    response: wrapped(z.object({ recommendations: z.array(recommendation) })),
  }),
  getDashboardConfigs: defineEndpoint({
    method: 'GET',
    path: '/dashboard/configs',
    caller: 'user',
    summary: 'The configs that are active',
    response: wrapped(z.object({ configs: z.array(config) })),
  }),
};

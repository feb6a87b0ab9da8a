import type { User } from '@raha/contract/public/auth.ts';
import type { Config } from '@raha/contract/public/configs.ts';
import type { BytesTrend, Dashboard } from '@raha/contract/public/dashboard.ts';
import type { RealtimeEvent } from '@raha/contract/public/realtime.ts';
import type { QueryClient } from '@tanstack/react-query';
import { askAgain } from './ask-again.ts';

type UsageEvent = Extract<RealtimeEvent, { type: 'usage' }>;
type Figures = Pick<Dashboard, 'quickStats'>;
type Month = Figures & { readonly trafficTrend: BytesTrend; readonly periodTraffic: number };
type Wallet = { readonly balance: number };

/** What usage changes besides the figures in its event: the wallet's lines, and what is decided by them. */
const CHANGED_BY_USAGE = ['dashboard', 'configs', 'wallet'];
/** Usage comes every few seconds, for hours. */
const REFRESH_MS = 60_000;

const waiting = new WeakSet<QueryClient>();

/**
 * Writes the figures of a node's report into the cache, so that the panel shows them without a request. The rest is
 * requested a minute after the first report, and so on while there is traffic; at once when a config has just been
 * stopped for want of money or by its monthly cap, or goes on.
 */
export function applyUsage(queries: QueryClient, event: UsageEvent): void {
  const configs = queries.getQueryData<Config[]>(['configs']);
  const page = queries.getQueryData<Dashboard>(['dashboard', 'page']);
  const known = [...(configs ?? []), ...(page?.activeConfigs ?? [])].find(({ id }) => id === event.configId);

  const more = known ? Math.max(0, event.uploaded + event.downloaded - known.totalTraffic) : 0;
  queries.setQueryData<User>(['me'], (user) => user && { ...user, balance: event.balance });
  queries.setQueryData<Wallet>(['wallet', 'balance'], (wallet) => wallet && { ...wallet, balance: event.balance });
  queries.setQueryData<Config[]>(['configs'], (list) => list && withUsage(list, event));
  queries.setQueryData<Dashboard>(
    ['dashboard', 'page'],
    (old) =>
      old && {
        ...withTraffic(old, more),
        user: { ...old.user, balance: event.balance },
        activeConfigs: withUsage(old.activeConfigs, event),
        charts: { trafficTrend: withToday(old.charts.trafficTrend, more) },
      },
  );
  queries.setQueryData<Month>(
    ['dashboard', 'traffic'],
    (old) =>
      old && {
        ...withTraffic(old, more),
        trafficTrend: withToday(old.trafficTrend, more),
        periodTraffic: old.periodTraffic + more,
      },
  );

  const isShownStopped = known?.service === 'no_balance' || known?.service === 'cap_reached';
  if (isShownStopped !== event.stopped) refresh(queries);
  if (waiting.has(queries)) return;
  waiting.add(queries);
  setTimeout(() => {
    waiting.delete(queries);
    refresh(queries);
  }, REFRESH_MS);
}

function refresh(queries: QueryClient): void {
  for (const key of CHANGED_BY_USAGE) askAgain(queries, { queryKey: [key] });
}

function withUsage(configs: readonly Config[], { configId, uploaded, downloaded, lastUsed }: UsageEvent): Config[] {
  const total = uploaded + downloaded;
  const usage = { uploaded, downloaded, traffic_used: total, totalTraffic: total, lastUsed };
  // Totals only grow: an event that comes late changes nothing.
  return configs.map((config) =>
    config.id === configId && config.totalTraffic < total ? { ...config, ...usage } : config,
  );
}

function withTraffic<T extends Figures>(data: T, more: number): T {
  const { quickStats } = data;
  return {
    ...data,
    quickStats: {
      ...quickStats,
      totalTraffic: quickStats.totalTraffic + more,
      todayTraffic: quickStats.todayTraffic + more,
      weeklyTraffic: quickStats.weeklyTraffic + more,
      monthlyTraffic: quickStats.monthlyTraffic + more,
    },
  };
}

function withToday(trend: BytesTrend, more: number): BytesTrend {
  const last = trend.data.length - 1;
  return {
    ...trend,
    data: trend.data.map((day, index) => (index === last ? { ...day, value: day.value + more } : day)),
  };
}

import type { RealtimeEvent } from '@raha/contract/public/realtime.ts';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { applyUsage } from './apply-usage.ts';

const id = '0192f0c1-2b3c-7d4e-8f90-123456789abc';
const config = {
  id,
  service: 'ok',
  uploaded: 10,
  downloaded: 90,
  traffic_used: 100,
  totalTraffic: 100,
  lastUsed: null,
};
const page = {
  user: { balance: 50_000 },
  quickStats: { totalTraffic: 1_000, todayTraffic: 100, weeklyTraffic: 500, monthlyTraffic: 900, since: null },
  activeConfigs: [config],
  recentTransactions: ['a line'],
  charts: { trafficTrend: { labels: ['a', 'b'], data: [{ value: 400 }, { value: 100 }] } },
};
const usage = { type: 'usage', configId: id, uploaded: 20, downloaded: 110, balance: 49_000, stopped: false } as const;
const event = (changes: object = {}) =>
  ({ ...usage, lastUsed: '2026-11-24T08:00:00Z', ...changes }) as Extract<RealtimeEvent, { type: 'usage' }>;

function cache(service = 'ok') {
  const queries = new QueryClient();
  queries.setQueryData(['me'], { balance: 50_000 });
  queries.setQueryData(['configs'], [{ ...config, service }]);
  queries.setQueryData(['dashboard', 'page'], page as never);
  queries.setQueryData(['wallet', 'balance'], { balance: 50_000, reserved: 3 } as never);
  const refreshes = vi.spyOn(queries, 'invalidateQueries');
  return { queries, refreshes };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the figures of a report are shown without a request', () => {
  const { queries, refreshes } = cache();
  applyUsage(queries, event());
  expect(queries.getQueryData(['me'])).toEqual({ balance: 49_000 });
  expect(queries.getQueryData(['wallet', 'balance'])).toEqual({ balance: 49_000, reserved: 3 });
  const used = {
    uploaded: 20,
    downloaded: 110,
    traffic_used: 130,
    totalTraffic: 130,
    lastUsed: '2026-11-24T08:00:00Z',
  };
  expect(queries.getQueryData(['configs'])).toEqual([{ ...config, ...used }]);
  expect(queries.getQueryData(['dashboard', 'page'])).toEqual({
    ...page,
    user: { balance: 49_000 },
    quickStats: { totalTraffic: 1_030, todayTraffic: 130, weeklyTraffic: 530, monthlyTraffic: 930, since: null },
    activeConfigs: [{ ...config, ...used }],
    charts: { trafficTrend: { labels: ['a', 'b'], data: [{ value: 400 }, { value: 130 }] } },
  });
  expect(refreshes).not.toHaveBeenCalled();
});

test('the same report again, and one that comes late, add nothing', () => {
  const { queries } = cache();
  for (const late of [event(), event(), event({ downloaded: 50 })]) applyUsage(queries, late);
  expect(queries.getQueryData<typeof page>(['dashboard', 'page'])?.quickStats.totalTraffic).toBe(1_030);
});

test('an hour of reports every four seconds refreshes once a minute', () => {
  const { queries, refreshes } = cache();
  for (let report = 1; report <= 900; report += 1) {
    applyUsage(queries, event({ downloaded: 110 + report }));
    vi.advanceTimersByTime(4_000);
  }
  vi.advanceTimersByTime(60_000);
  // Three kinds of queries each time.
  expect(refreshes.mock.calls.length / 3).toBeGreaterThan(50);
  expect(refreshes.mock.calls.length / 3).toBeLessThanOrEqual(60);
});

test('an open dashboard with traffic makes at most four calls a minute', async () => {
  const { queries } = cache();
  let calls = 0;
  const count = (data: unknown) => async () => {
    calls += 1;
    return data;
  };
  // What the first page shows, the chart of the month opened too.
  for (const [queryKey, data] of [
    [['me'], { balance: 50_000 }],
    [['dashboard', 'page'], page],
    [['dashboard', 'traffic'], { ...page, trafficTrend: page.charts.trafficTrend, periodTraffic: 500 }],
    [['configs'], [config]],
    [['connection', 'status'], {}],
    [['notifications'], {}],
  ] as const) {
    queries.setQueryData(queryKey, data as never);
    const options = { queryKey, queryFn: count(data), staleTime: Number.POSITIVE_INFINITY };
    new QueryObserver(queries, options as never).subscribe(() => undefined);
  }
  for (let report = 1; report <= 150; report += 1) {
    applyUsage(queries, event({ downloaded: 110 + report }));
    await vi.advanceTimersByTimeAsync(4_000);
  }
  expect(calls).toBeGreaterThan(0);
  expect(calls / 10).toBeLessThanOrEqual(4);
});

test('what usage changed is refreshed after the last report too', () => {
  const { queries, refreshes } = cache();
  applyUsage(queries, event());
  vi.advanceTimersByTime(60_000);
  expect(refreshes.mock.calls.map(([filter]) => filter?.queryKey)).toEqual([['dashboard'], ['configs'], ['wallet']]);
});

test.each([
  ['stopped for want of money', 'ok', true],
  ['goes on after a charge', 'no_balance', false],
])('a config that %s is asked for at once', (_what, service, stopped) => {
  const { queries, refreshes } = cache(service);
  applyUsage(queries, event({ stopped }));
  expect(refreshes).toHaveBeenCalledWith({ queryKey: ['configs'] });
});

test('a config that is known to be at its monthly cap is not asked for with each report', () => {
  const { queries, refreshes } = cache('cap_reached');
  applyUsage(queries, event({ stopped: true }));
  expect(refreshes).not.toHaveBeenCalled();
});

test('a cache that has nothing yet stays empty', () => {
  const queries = new QueryClient();
  applyUsage(queries, event());
  expect(
    queries
      .getQueryCache()
      .findAll()
      .filter(({ state }) => state.data !== undefined),
  ).toEqual([]);
});

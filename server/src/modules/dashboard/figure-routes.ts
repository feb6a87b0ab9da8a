import { limits } from '@raha/contract/limits.ts';
import { toWire } from '@raha/contract/money.ts';
import type { dashboard } from '@raha/contract/public/dashboard.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { hasService } from '../accounts/users.ts';
import type { ConfigDeps } from '../configs/create-config.ts';
import { listConfigsAndServers } from '../configs/list-configs.ts';
import {
  type Grouping,
  selectUsageBy,
  selectUsageOverTime,
  sumRates,
  type UsageGroup,
} from '../metering/usage-series.ts';
import { requireProfile, type SignedInCaller } from '../sessions/caller.ts';
import { beginOf, describeSums } from '../wallet/wallet-sums.ts';
import { describeBalance, readConfigs } from './overview.ts';
import { bytesOf } from './traffic.ts';

export type Figures = Pick<
  typeof dashboard,
  'getFinancialStats' | 'getServerStats' | 'getTrafficStats' | 'getDashboardRealtime' | 'getPerformance'
>;

const SECONDS = { hour: 3_600, day: 86_400 };
const units = { traffic: 'bytes', speed: 'bits_per_second', cost: 'toman' } as const;
const FRESH_SECONDS = (limits.node.reportPeriodMs * 4) / 1000;

export const daysOf = (period: string) => Number(period.slice(0, -1));

/** Detailed figures for the dashboard, by period and grouping. */
export function figureRoutes(deps: ConfigDeps): Handlers<Figures, SignedInCaller, unknown> {
  return {
    async getFinancialStats({ caller, query }) {
      const userId = requireProfile(caller.user).id;
      const sums = await describeSums(deps.db, userId, beginOf(query.period, deps.clock.now()));
      const usage = sums.byType.find(({ type }) => type === 'usage');
      return { success: true, data: { ...sums, usageCost: -(usage?.amount ?? 0) } };
    },
    async getServerStats({ caller }) {
      requireProfile(caller.user);
      return { success: true, data: await readServerStats(deps, caller) };
    },
    async getTrafficStats({ caller, query }) {
      const userId = requireProfile(caller.user).id;
      const groups = await usageBy(deps, userId, daysOf(query.period), query.groupBy);
      return {
        success: true,
        data: {
          groupBy: query.groupBy,
          total: bytesOf(groups),
          groups: groups.map(({ label, up, down, charged }) => ({
            label,
            up: toWire(up),
            down: toWire(down),
            charged: toWire(charged),
          })),
        },
      };
    },
    async getDashboardRealtime({ caller }) {
      const user = requireProfile(caller.user);
      const fresh = addSeconds(deps.clock.now(), -FRESH_SECONDS);
      const rates = await sumRates(deps.db, user.id, fresh);
      return {
        success: true,
        data: {
          balance: describeBalance(caller.accounts).balance,
          connected: (await readConfigs(deps, caller)).filter(({ connected }) => connected).length,
          uploadSpeed: Number(rates.up),
          downloadSpeed: Number(rates.down),
          sampledAt: rates.sampled_at?.toISOString() ?? null,
        },
      };
    },
    async getPerformance({ caller, query }) {
      const userId = requireProfile(caller.user).id;
      const days = daysOf(query.period);
      const grouping = days <= 2 ? 'hour' : 'day';
      const groups = await selectUsageOverTime(deps.db, userId, days, grouping, deps.clock.now());
      const value = (group: UsageGroup) => {
        if (query.metric === 'cost') return toWire(group.charged);
        const bytes = bytesOf([group]);
        return query.metric === 'traffic' ? bytes : (bytes * 8) / SECONDS[grouping];
      };
      return {
        success: true,
        data: {
          metric: query.metric,
          unit: units[query.metric],
          points: groups.map((group) => ({ at: group.label, value: value(group) })),
        },
      };
    },
  };
}

async function readServerStats(deps: ConfigDeps, caller: SignedInCaller) {
  const { user } = caller;
  const isServed = await hasService(deps.db, user, deps.clock.now());
  const { configs: all, servers } = await listConfigsAndServers(deps, user, caller);
  const configs = isServed ? all : [];
  const usage = await selectUsageBy(deps.db, user.id, 'server', undefined);
  const used = new Map(usage.map((group) => [group.label, group]));
  return {
    total: servers.length,
    online: servers.filter(({ isOnline }) => isOnline).length,
    countries: new Set(servers.map(({ location }) => location.country)).size,
    servers: servers.map(({ id, name, location, isOnline, performance }) => ({
      id,
      name,
      location,
      isOnline,
      currentLoad: performance.currentLoad,
      configs: configs.filter(({ server }) => server.id === id).length,
      traffic: bytesOf([used.get(id) ?? { up: 0n, down: 0n }]),
    })),
  };
}

async function usageBy(deps: ConfigDeps, userId: string, days: number, grouping: Grouping): Promise<UsageGroup[]> {
  const now = deps.clock.now();
  if (grouping === 'hour' || grouping === 'day') {
    return await selectUsageOverTime(deps.db, userId, days, grouping, now);
  }
  return await selectUsageBy(deps.db, userId, grouping, { days, now });
}

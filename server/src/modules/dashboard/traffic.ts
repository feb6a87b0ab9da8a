import { toWire } from '@raha/contract/money.ts';
import type { BytesTrend, quickStats } from '@raha/contract/public/dashboard.ts';
import type * as z from 'zod/mini';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { selectUsageOverTime, sumAllTraffic, type UsageGroup } from '../metering/usage-series.ts';
import { selectWindow, upsertWindow } from './tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
}

const WEEK = 7;
const MONTH = 30;

/** Totals of today, of seven and of thirty days (Tehran), and of the user's own window. */
export async function readTraffic(deps: Deps, userId: string): Promise<z.output<typeof quickStats>> {
  const days = await selectUsageOverTime(deps.db, userId, MONTH, 'day', deps.clock.now());
  const window = await selectWindow(deps.db, userId);
  const total = (await sumAllTraffic(deps.db, userId)) - (window?.base_bytes ?? 0n);
  return {
    totalTraffic: toWire(total),
    todayTraffic: bytesOf(days.slice(-1)),
    weeklyTraffic: bytesOf(days.slice(-WEEK)),
    monthlyTraffic: bytesOf(days),
    since: window?.started_at.toISOString() ?? null,
  };
}

/** Restarts the user's total from the current count; the counters themselves never change. */
export async function resetTraffic(deps: Deps, userId: string): Promise<void> {
  await upsertWindow(deps.db, userId, await sumAllTraffic(deps.db, userId), deps.clock.now());
}

export async function readTrend(deps: Deps, userId: string, days: number): Promise<BytesTrend> {
  const groups = await selectUsageOverTime(deps.db, userId, days, 'day', deps.clock.now());
  return {
    labels: groups.map(({ label }) => label),
    data: groups.map((group) => ({ label: group.label, value: bytesOf([group]) })),
  };
}

export function bytesOf(groups: readonly Pick<UsageGroup, 'up' | 'down'>[]): number {
  return toWire(groups.reduce((sum, { up, down }) => sum + up + down, 0n));
}

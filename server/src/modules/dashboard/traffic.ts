import { toWire } from '@raha/contract/money.ts';
import type { BytesTrend, quickStats } from '@raha/contract/public/dashboard.ts';
import type * as z from 'zod/mini';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { sumAllTraffic, type UsageGroup } from '../metering/usage-series.ts';
import { selectTraffic, upsertWindow } from './tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
}

/** The last 24 hours. */
export interface LastDay {
  readonly chargedToman: bigint;
  readonly bytes: bigint;
}

const WEEK = 7;
const MONTH = 30;

/**
 * Totals of today, of seven and of thirty days (Tehran), and of the user's own window; and the days themselves, at most
 * `atLeast` or thirty of them.
 */
export async function readTraffic(
  deps: Deps,
  userId: string,
  atLeast = MONTH,
): Promise<{ quickStats: z.output<typeof quickStats>; trend(days: number): BytesTrend; lastDay: LastDay }> {
  const facts = await selectTraffic(deps.db, userId, Math.max(MONTH, atLeast), deps.clock.now());
  const { days } = facts;
  const total = facts.total - (facts.base_bytes ?? 0n);
  return {
    quickStats: {
      totalTraffic: toWire(total),
      todayTraffic: bytesOf(days.slice(-1)),
      weeklyTraffic: bytesOf(days.slice(-WEEK)),
      monthlyTraffic: bytesOf(days.slice(-MONTH)),
      since: facts.started_at?.toISOString() ?? null,
    },
    trend: (count) => describeTrend(days.slice(-count)),
    lastDay: { chargedToman: facts.day_charged, bytes: facts.day_bytes },
  };
}

function describeTrend(days: readonly UsageGroup[]): BytesTrend {
  return {
    labels: days.map(({ label }) => label),
    data: days.map((day) => ({ label: day.label, value: bytesOf([day]) })),
  };
}

/** Restarts the user's total from the current count; the counters themselves never change. */
export async function resetTraffic(deps: Deps, userId: string): Promise<void> {
  await upsertWindow(deps.db, userId, await sumAllTraffic(deps.db, userId), deps.clock.now());
}

export function bytesOf(groups: readonly Pick<UsageGroup, 'up' | 'down'>[]): number {
  return toWire(groups.reduce((sum, { up, down }) => sum + up + down, 0n));
}

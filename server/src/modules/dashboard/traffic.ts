import { toWire } from '@raha/contract/money.ts';
import type { BytesTrend, quickStats } from '@raha/contract/public/dashboard.ts';
import type * as z from 'zod/mini';
import { addDays, type Clock, tehranDay } from '../../platform/clock.ts';
import { type Database, readRows } from '../../platform/database.ts';
import { sumAllTraffic, type UsageGroup } from '../metering/usage-series.ts';
import { type TrafficRow, toTrafficFacts, traffic, upsertWindow } from './tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
}

/** The last 24 hours. */
export interface LastDay {
  readonly chargedToman: bigint;
  readonly bytes: bigint;
}

export interface Traffic {
  readonly quickStats: z.output<typeof quickStats>;
  trend(days: number): BytesTrend;
  readonly lastDay: LastDay;
}

type Day = Pick<UsageGroup, 'label' | 'up' | 'down'>;

const WEEK = 7;
export const MONTH = 30;

/**
 * Totals of today, of seven and of thirty days (Tehran), and of the user's own window; and the days themselves, at most
 * `atLeast` or thirty of them.
 */
export async function readTraffic(deps: Deps, userId: string, atLeast = MONTH): Promise<Traffic> {
  const now = deps.clock.now();
  const count = Math.max(MONTH, atLeast);
  return describeTraffic(await readRows(deps.db, traffic({ userId, daysBefore: count - 1, now })), count, now);
}

/** From the rows of `traffic`. */
export function describeTraffic(rows: readonly TrafficRow[], count: number, now: Date): Traffic {
  const facts = toTrafficFacts(rows);
  const used = new Map(facts.days.map((day) => [day.label, day]));
  const days = lastDays(count, now).map((label) => used.get(label) ?? { label, up: 0n, down: 0n });
  const total = facts.total - (facts.base_bytes ?? 0n);
  return {
    quickStats: {
      totalTraffic: toWire(total),
      todayTraffic: bytesOf(days.slice(-1)),
      weeklyTraffic: bytesOf(days.slice(-WEEK)),
      monthlyTraffic: bytesOf(days.slice(-MONTH)),
      since: facts.started_at?.toISOString() ?? null,
    },
    trend: (length) => describeTrend(days.slice(-length)),
    lastDay: {
      chargedToman: facts.days.reduce((sum, day) => sum + day.recent_charged, 0n),
      bytes: facts.days.reduce((sum, day) => sum + day.recent_bytes, 0n),
    },
  };
}

let known: readonly string[] = [];

/** So many Tehran days, the last one is today. All dashboards of a day show the same, so the last answer is kept. */
function lastDays(count: number, now: Date): readonly string[] {
  if (known.length !== count || known.at(-1) !== tehranDay(now))
    known = Array.from({ length: count }, (_, index) => tehranDay(addDays(now, index + 1 - count)));
  return known;
}

function describeTrend(days: readonly Day[]): BytesTrend {
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

import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';

/** A user's usage over time, from stored hours and the running one. For display, not for decisions about money. */
export interface UsageGroup {
  readonly label: string;
  readonly up: bigint;
  readonly down: bigint;
  readonly charged: bigint;
}

export type Grouping = 'hour' | 'day' | 'config' | 'server';

const hours = (userId: string) => sql`(
  SELECT m.config_id, m.node_id, h.hour, h.up, h.down, h.charged_toman AS charged
  FROM meter m JOIN usage_hour h ON h.config_id = m.config_id WHERE m.user_id = ${userId}
  UNION ALL
  SELECT config_id, node_id, hour_start, hour_up, hour_down, hour_charged FROM meter
  WHERE user_id = ${userId} AND hour_start IS NOT NULL
)`;

/** The same without times, for sums of all time. */
const months = (userId: string) => sql`(
  SELECT m.config_id, m.node_id, s.up, s.down, s.charged_toman AS charged
  FROM meter m JOIN usage_sum s ON s.config_id = m.config_id AND s.grain = 'month' WHERE m.user_id = ${userId}
  UNION ALL
  SELECT config_id, node_id, hour_up, hour_down, hour_charged FROM meter WHERE user_id = ${userId} AND hour_start IS NOT NULL
)`;

/**
 * The first day of a month since which a user's stored usage has been charged on so many days and configs at least, or of the first
 * month of all; null if none was charged. For the SQL of another module.
 */
export function chargedSince(userId: string, lines: number): RawBuilder<unknown> {
  // Of the months that were charged each has a line or more.
  return sql`(
    SELECT min(begins) FROM (
      SELECT begins FROM usage_sum WHERE user_id = ${userId} AND grain = 'month' AND charged_days <> 0 ORDER BY begins DESC LIMIT ${lines}
    ) months)`;
}

export interface UsedDay extends UsageGroup {
  /** What of it lies in the last 24 hours. */
  readonly recent_bytes: bigint;
  readonly recent_charged: bigint;
}

/** The Tehran days in which something was used, since so many days before today's, for the SQL of another module. */
export function usedDays(userId: string, daysBefore: number, now: Date): RawBuilder<unknown> {
  const recent = sql`FILTER (WHERE hour > ${now}::timestamptz - interval '24 hours')`;
  return sql`(
    SELECT to_char(hour AT TIME ZONE 'Asia/Tehran', 'YYYY-MM-DD') AS label, sum(up)::bigint AS up, sum(down)::bigint AS down,
      sum(charged)::bigint AS charged, coalesce(sum(up + down) ${recent}, 0)::bigint AS recent_bytes,
      coalesce(sum(charged) ${recent}, 0)::bigint AS recent_charged
    FROM ${hours(userId)} h WHERE hour >= ${beginOfDays(daysBefore, now)} GROUP BY 1)`;
}

/** The first instant of the Tehran day that lies so many days before today's. */
function beginOfDays(daysBefore: number, now: Date): RawBuilder<unknown> {
  return sql`((date_trunc('day', ${now}::timestamptz AT TIME ZONE 'Asia/Tehran') - make_interval(days => ${daysBefore}::integer))
    AT TIME ZONE 'Asia/Tehran')`;
}

/** Usage per Tehran hour (`2026-11-20T08:30:00Z`) or Tehran day (`2026-11-20`), oldest first, empty ones included. */
export async function selectUsageOverTime(
  db: Executor,
  userId: string,
  days: number,
  grouping: 'hour' | 'day',
  now: Date,
): Promise<UsageGroup[]> {
  const { rows } = await sql<UsageGroup>`
    SELECT * FROM ${usageOverTime(userId, days, grouping, now)} u ORDER BY u.label
  `.execute(db);
  return rows;
}

/** `UsageGroup`s over time, for the SQL of another module. */
export function usageOverTime(userId: string, days: number, grouping: 'hour' | 'day', now: Date): RawBuilder<unknown> {
  const begin = beginOfDays(days - 1, now);
  // As a literal: PostgreSQL keeps one plan only if it knows how many rows there will be.
  const last = (count: number) => sql.raw(String(count));
  const slots =
    grouping === 'day'
      ? sql`SELECT to_char(${begin} AT TIME ZONE 'Asia/Tehran' + make_interval(days => n), 'YYYY-MM-DD') AS label FROM generate_series(0, ${last(days - 1)}) n`
      : sql`SELECT ${hourLabel(sql`d`)} AS label FROM generate_series(${begin}, ${now}::timestamptz, interval '1 hour') d`;
  const labelOf =
    grouping === 'day' ? sql`to_char(hour AT TIME ZONE 'Asia/Tehran', 'YYYY-MM-DD')` : hourLabel(sql`hour`);
  return sql`(
    SELECT s.label, coalesce(u.up, 0)::bigint AS up, coalesce(u.down, 0)::bigint AS down, coalesce(u.charged, 0)::bigint AS charged
    FROM (${slots}) s LEFT JOIN (
      SELECT ${labelOf} AS label, sum(up)::bigint AS up, sum(down)::bigint AS down, sum(charged)::bigint AS charged
      FROM ${hours(userId)} h WHERE hour >= ${begin} - interval '1 day' GROUP BY 1
    ) u USING (label))`;
}

/** Older rows hold UTC hours, which overlap two Tehran hours; they count under the one in which they start. */
function hourLabel(instant: RawBuilder<unknown>) {
  return sql`to_char(date_bin('1 hour', ${instant}, '2000-01-01T00:30:00Z') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
}

/** Usage by config or by node, highest first; labels are ids. Of the last days, today's included, or of all time. */
export async function selectUsageBy(
  db: Executor,
  userId: string,
  grouping: 'config' | 'server',
  span: { readonly days: number; readonly now: Date } | undefined,
): Promise<UsageGroup[]> {
  const used = span
    ? sql`${hours(userId)} h WHERE hour >= ${beginOfDays(span.days - 1, span.now)}`
    : sql`${months(userId)} h`;
  const label = grouping === 'config' ? sql`config_id` : sql`node_id`;
  const result = await sql<UsageGroup>`
    SELECT ${label}::text AS label, sum(up)::bigint AS up, sum(down)::bigint AS down, sum(charged)::bigint AS charged
    FROM ${used} GROUP BY 1 ORDER BY sum(up + down) DESC
  `.execute(db);
  return result.rows;
}

/** All bytes ever used by a user, deleted configs included. */
export async function sumAllTraffic(db: Executor, userId: string): Promise<bigint> {
  const result = await sql<{ total: bigint }>`SELECT ${allTrafficOf(userId)} AS total`.execute(db);
  return result.rows[0]?.total ?? 0n;
}

/** The same, for the SQL of another module. */
export function allTrafficOf(userId: string): RawBuilder<unknown> {
  return sql`(SELECT coalesce(sum(total_up + total_down), 0)::bigint FROM meter WHERE user_id = ${userId})`;
}

/** What the usage of these users cost in the last 24 hours; who used nothing is missing. */
export async function sumLastDay(db: Executor, userIds: readonly string[], now: Date): Promise<Map<string, bigint>> {
  const since = sql`${now}::timestamptz - interval '24 hours'`;
  const { rows } = await sql<{ user_id: string; charged: bigint }>`
    SELECT m.user_id, sum((CASE WHEN m.hour_start > ${since} THEN m.hour_charged ELSE 0 END) + coalesce(h.charged, 0))::bigint AS charged
    FROM meter m LEFT JOIN LATERAL (
      SELECT sum(charged_toman) AS charged FROM usage_hour WHERE config_id = m.config_id AND hour > ${since}
    ) h ON true
    WHERE m.user_id = ANY (${userIds}::uuid[]) GROUP BY m.user_id
  `.execute(db);
  return new Map(rows.filter(({ charged }) => charged > 0n).map((row) => [row.user_id, row.charged]));
}

/** Current throughput of all configs read since `fresh`, in bits per second. */
export async function sumRates(
  db: Executor,
  userId: string,
  fresh: Date,
): Promise<{ up: bigint; down: bigint; sampled_at: Date | null }> {
  const result = await sql<{ up: bigint; down: bigint; sampled_at: Date | null }>`
    SELECT coalesce(sum(throughput_up), 0)::bigint AS up, coalesce(sum(throughput_down), 0)::bigint AS down, max(sampled_at) AS sampled_at
    FROM meter WHERE user_id = ${userId} AND sampled_at >= ${fresh} AND NOT final
  `.execute(db);
  return result.rows[0] as { up: bigint; down: bigint; sampled_at: Date | null };
}

/**
 * The number of clock hours in which any of a user's configs had traffic, and the number of configs ever used by a
 * device.
 */
export async function countConnections(db: Executor, userId: string): Promise<{ hours: number; configs: number }> {
  const result = await sql<{ hours: bigint; configs: bigint }>`
    SELECT (SELECT count(DISTINCT hour) FROM ${hours(userId)} h WHERE up + down > 0) AS hours,
      (SELECT count(*) FROM meter m JOIN tunnel t ON t.config_id = m.config_id WHERE m.user_id = ${userId}) AS configs
  `.execute(db);
  const row = result.rows[0] as { hours: bigint; configs: bigint };
  return { hours: Number(row.hours), configs: Number(row.configs) };
}

/** All stored usage hours of a user's configs, oldest first. */
export async function selectUsageByHour(
  db: Executor,
  userId: string,
): Promise<{ config_id: string; hour: Date; up: bigint; down: bigint; charged: bigint }[]> {
  const result = await sql<{ config_id: string; hour: Date; up: bigint; down: bigint; charged: bigint }>`
    SELECT config_id, hour, up, down, charged FROM ${hours(userId)} h ORDER BY hour, config_id
  `.execute(db);
  return result.rows;
}

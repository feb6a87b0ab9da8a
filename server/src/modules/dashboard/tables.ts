import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import { configEventsOf } from '../configs/list-configs.ts';
import { allTrafficOf, lastDayOf, type UsageGroup, usageOverTime } from '../metering/usage-series.ts';
import { signInsOf } from '../sessions/list-sign-ins.ts';
import { type LineRow, newestLinesOf } from '../wallet/wallet-lines.ts';

/** The only file that names traffic_window. */
export interface TrafficFacts {
  readonly days: readonly UsageGroup[];
  /** All bytes ever used. */
  readonly total: bigint;
  /** When the user last restarted the total, and what it was then. */
  readonly started_at: Date | null;
  readonly base_bytes: bigint | null;
  /** What the last 24 hours cost, and their bytes. */
  readonly day_charged: bigint;
  readonly day_bytes: bigint;
}

/** The last days' traffic, all of it, and the user's own window, in one statement. */
export async function selectTraffic(db: Executor, userId: string, days: number, now: Date): Promise<TrafficFacts> {
  const { rows } = await sql<UsageGroup & Omit<TrafficFacts, 'days'>>`
    SELECT u.*, total.bytes AS total, w.started_at, w.base_bytes, pace.day_charged, pace.day_bytes
    FROM ${usageOverTime(userId, days, 'day', now)} u CROSS JOIN (SELECT ${allTrafficOf(userId)} AS bytes) total
    CROSS JOIN ${lastDayOf(userId, now)} pace
    LEFT JOIN traffic_window w ON w.user_id = ${userId}
    ORDER BY u.label
  `.execute(db);
  const { total, started_at, base_bytes, day_charged, day_bytes } = rows[0] as (typeof rows)[number];
  return { days: rows, total, started_at, base_bytes, day_charged, day_bytes };
}

/** Something that happened on an account, from the table in which it is written. */
export type EventRow =
  | {
      readonly source: 'sign_in' | 'config_created' | 'config_deleted';
      readonly name: string;
      readonly id: string;
      readonly at: Date;
    }
  | (LineRow & { readonly source: 'wallet' });

/** The latest sign-ins, changes of configs and lines of the wallet, `limit` of each, in one statement. */
export async function selectEvents(db: Executor, userId: string, limit: number): Promise<EventRow[]> {
  const noLine = sql.raw(
    'NULL AS type, NULL::bigint AS amount, NULL AS status, NULL AS detail, NULL AS plan_name_fa, NULL AS plan_name_en',
  );
  const { rows } = await sql<EventRow>`
    SELECT 'sign_in' AS source, s.device AS name, s.id, s.created_at AS at, ${noLine} FROM ${signInsOf(userId, limit)} s
    UNION ALL
    SELECT CASE WHEN c.deleted THEN 'config_deleted' ELSE 'config_created' END, c.name, c.id, c.at, ${noLine}
    FROM ${configEventsOf(userId, limit)} c
    UNION ALL
    SELECT 'wallet', NULL, l.id, l.at, l.type, l.amount, l.status, l.detail, l.plan_name_fa, l.plan_name_en
    FROM ${newestLinesOf(userId, limit)} l
    ORDER BY at DESC, id DESC
  `.execute(db);
  return rows;
}

export async function upsertWindow(db: Executor, userId: string, baseBytes: bigint, now: Date): Promise<void> {
  await sql`
    INSERT INTO traffic_window (user_id, started_at, base_bytes) VALUES (${userId}, ${now}, ${baseBytes})
    ON CONFLICT (user_id) DO UPDATE SET started_at = excluded.started_at, base_bytes = excluded.base_bytes
  `.execute(db);
}

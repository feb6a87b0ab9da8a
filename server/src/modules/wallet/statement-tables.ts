import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';

/** The statement's queries over usage by day and by month, and the running sums. Days are Tehran's. */

export interface UsageDayRow {
  readonly day: string;
  readonly config_id: string;
  readonly name: string;
  /** With whom the config is shared. */
  readonly guest_name: string | null;
  readonly up: bigint;
  readonly down: bigint;
  readonly charged: bigint;
  readonly line_id: string;
  /** Cumulative bytes of the config at the end of this day. */
  readonly upto: bigint;
}

/** Days with usage or movements, newest first: one page of them, and their number. */
export async function selectActiveDays(
  db: Executor,
  userId: string,
  since: Date | undefined,
  page: { number: number; size: number },
): Promise<{ days: string[]; count: number }> {
  const first = sql`(${since ?? new Date(0)}::timestamptz AT TIME ZONE 'Asia/Tehran')::date`;
  const { rows } = await sql<{ day: string; count: bigint }>`
    SELECT to_char(day, 'YYYY-MM-DD') AS day, count(*) OVER () AS count FROM (
      SELECT begins + bit AS day FROM (
        SELECT begins, bit_or(days) AS days FROM (
          SELECT begins, days FROM usage_month WHERE user_id = ${userId}
          UNION ALL SELECT begins, days FROM wallet_sum WHERE user_id = ${userId} AND grain = 'month'
        ) either WHERE begins >= date_trunc('month', ${first}::timestamp)::date GROUP BY begins
      ) months CROSS JOIN generate_series(0, 30) bit WHERE days >> bit & 1 = 1
    ) active WHERE day >= ${first}
    ORDER BY active.day DESC LIMIT ${page.size} OFFSET ${(page.number - 1) * page.size}
  `.execute(db);
  return { days: rows.map(({ day }) => day), count: Number(rows[0]?.count ?? 0n) };
}

/** Usage per config on a range of days; within a day the most used config first. */
export async function selectUsageDays(
  db: Executor,
  userId: string,
  span: { first: string; last: string },
): Promise<UsageDayRow[]> {
  const month = sql`date_trunc('month', ${span.first}::date::timestamp)::date`;
  const { rows } = await sql<UsageDayRow>`
    SELECT to_char(day, 'YYYY-MM-DD') AS day, config_id, name, guest_name, up, down, charged, line_id, upto FROM (
      SELECT *, (sum(up + down) OVER (PARTITION BY config_id ORDER BY day) + coalesce(bytes_before, 0))::bigint AS upto
      FROM usage_day LEFT JOIN (
        SELECT config_id, sum(up + down) AS bytes_before FROM usage_month WHERE user_id = ${userId} AND begins < ${month} GROUP BY config_id
      ) earlier USING (config_id)
      WHERE user_id = ${userId} AND day >= ${month} AND day <= ${span.last}::date
    ) counted LEFT JOIN usage_guest USING (config_id) WHERE day >= ${span.first}::date AND up + down > 0
    ORDER BY counted.day DESC, up + down DESC, config_id
  `.execute(db);
  return rows;
}

/** The instants at which a range of days begins and ends. */
export async function selectBounds(
  db: Executor,
  span: { first: string; last: string },
): Promise<{ begin: Date; end: Date }> {
  const { rows } = await sql<{ begin: Date; end: Date }>`
    SELECT ${span.first}::date::timestamp AT TIME ZONE 'Asia/Tehran' AS begin,
      (${span.last}::date + 1)::timestamp AT TIME ZONE 'Asia/Tehran' AS "end"
  `.execute(db);
  return rows[0] as { begin: Date; end: Date };
}

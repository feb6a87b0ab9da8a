import { type RawBuilder, sql } from 'kysely';

/**
 * Where a page of a list begins that has the newest line first. The running sums say how many lines each month and each day has;
 * so a page far down is found by them, and no line before its first day is read.
 */
export interface LineCounts {
  /** `begins` (a month's first day) and `lines`. */
  readonly byMonth: RawBuilder<unknown>;
  /** `begins` (a day) and `lines`, of one month. */
  byDay(month: RawBuilder<unknown>): RawBuilder<unknown>;
}

/**
 * The common table expression `page_start` of one row: `until`, the end of the day on which the page's first line lies (Tehran's), which is
 * when the day `until_day` begins, and
 * `rest`, how many lines of that day come before it. No row if there are not so many lines.
 */
export function startOfPage({ byMonth, byDay }: LineCounts, skipped: number): RawBuilder<unknown> {
  const passed = (counts: RawBuilder<unknown>) => sql`
    SELECT begins, lines, sum(lines) OVER (ORDER BY begins DESC) - lines AS before
    FROM (SELECT begins, sum(lines) AS lines FROM (${counts}) counts GROUP BY begins) summed WHERE lines > 0`;
  return sql`
    start_month AS MATERIALIZED (
      SELECT begins, ${skipped}::bigint - before AS rest FROM (${passed(byMonth)}) months
      WHERE before <= ${skipped} AND before + lines > ${skipped}
    ), page_start AS MATERIALIZED (
      SELECT d.begins + 1 AS until_day, (d.begins + 1)::timestamp AT TIME ZONE 'Asia/Tehran' AS until, (m.rest - d.before)::bigint AS rest
      FROM start_month m, (${passed(byDay(sql`(SELECT begins FROM start_month)`))}) d
      WHERE d.before <= m.rest AND d.before + d.lines > m.rest
    )`;
}

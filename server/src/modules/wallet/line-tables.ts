import type { PaymentRecord } from '@raha/contract/public/payments.ts';
import type { WalletTransaction } from '@raha/contract/public/wallet.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import { prepare } from '../../platform/statements.ts';
import { chargedSince } from '../metering/usage-series.ts';
import { type LineCounts, startOfPage } from './page-tables.ts';

/** Queries for lines of the wallet: what moved it (`wallet_movement`), and usage per config and day (`usage_line`). */
export interface LineRow {
  readonly id: string;
  readonly at: Date;
  readonly type: WalletTransaction['type'];
  readonly amount: bigint;
  readonly status: WalletTransaction['status'];
  /** The gateway, the last four characters of a card, a config's name, or what was done with a plan. */
  readonly detail: string;
  readonly plan_name_fa: string | null;
  readonly plan_name_en: string | null;
}

/** A payment that went back is a completed line; the refund is another one. */
const movementColumns = sql.raw(
  `id, at, type, amount, CASE status WHEN 'refunded' THEN 'completed' ELSE status END AS status, detail, plan_name_fa, plan_name_en`,
);
const usageColumns = sql.raw(`id, at, 'usage', -charged, 'completed', name, NULL, NULL`);

const newestFirst = sql.raw('ORDER BY at DESC, id DESC');

export interface Totals {
  readonly deposits: bigint;
  readonly withdrawals: bigint;
  readonly lines: number;
}

/** One page of a wallet's lines, newest first, and the sums of all of them. */
export async function selectLines(
  db: Executor,
  userId: string,
  page: { number: number; size: number },
): Promise<{ rows: LineRow[]; totals: Totals }> {
  const skipped = (page.number - 1) * page.size;
  const start = skipped === 0 ? FIRST_START : startOfPage(allCounts(userId), skipped);
  const until = sql`at < (SELECT until FROM page_start)`;
  const rest = sql`(SELECT rest FROM page_start)`;
  const { rows } = await sql<
    { deposits: bigint; withdrawals: bigint; lines: bigint } & { [K in keyof LineRow]: LineRow[K] | null }
  >`
    WITH ${start}
    SELECT t.*, l.* FROM (${totalsOf(userId)}) t LEFT JOIN (
      SELECT * FROM (
        (SELECT ${movementColumns} FROM wallet_movement WHERE user_id = ${userId} AND ${until} ${newestFirst} LIMIT ${rest} + ${page.size}::bigint)
        UNION ALL SELECT ${usageColumns} FROM usage_line WHERE user_id = ${userId} AND day < (SELECT until_day FROM page_start)
          AND day >= ${usedSince(userId, sql`${rest} + ${page.size}::bigint`, sql`(SELECT until_day FROM page_start)`)}
      ) every ${newestFirst} LIMIT ${page.size} OFFSET ${rest}
    ) l ON true ORDER BY l.at DESC, l.id DESC
  `.execute(db);
  return {
    rows: rows.filter((row): row is typeof row & LineRow => row.id !== null),
    totals: toTotals(rows[0]),
  };
}

/** Of the first page. */
const FIRST_START = sql`page_start AS MATERIALIZED (SELECT date 'infinity' AS until_day, timestamptz 'infinity' AS until, 0::bigint AS rest)`;

/** The first day from which on there are so many lines of usage before a day, or hardly more: the first of a month. */
function usedSince(userId: string, wanted: RawBuilder<unknown>, untilDay: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce((
    SELECT max(begins) FROM (
      SELECT begins, sum(sum(lines)) OVER (ORDER BY begins DESC) AS lines FROM usage_month
      WHERE user_id = ${userId} AND (begins + interval '1 month')::date <= ${untilDay} GROUP BY begins
    ) months WHERE lines >= ${wanted}), date '-infinity')`;
}

function allCounts(userId: string): LineCounts {
  const moved = sql`SELECT begins, lines FROM wallet_sum WHERE user_id = ${userId}`;
  return {
    byMonth: sql`${moved} AND grain = 'month' UNION ALL SELECT begins, lines FROM usage_month WHERE user_id = ${userId}`,
    byDay: (month) => sql`
      ${moved} AND grain = 'day' AND begins >= ${month} AND begins < (${month} + interval '1 month')::date
      UNION ALL SELECT day, 1 FROM usage_line
      WHERE user_id = ${userId} AND day >= ${month} AND day < (${month} + interval '1 month')::date`,
  };
}

export async function sumLines(db: Executor, userId: string): Promise<Totals> {
  const { rows } = await sql<{ deposits: bigint; withdrawals: bigint; lines: bigint }>`
    ${totalsOf(userId)}
  `.execute(db);
  return toTotals(rows[0]);
}

/** Sums of what is completed, and the number of all lines. */
function totalsOf(userId: string): RawBuilder<unknown> {
  return sql`
    SELECT coalesce(sum(deposits) FILTER (WHERE is_completed), 0)::bigint AS deposits,
      coalesce(sum(withdrawals) FILTER (WHERE is_completed), 0)::bigint AS withdrawals, coalesce(sum(lines), 0)::bigint AS lines
    FROM (
      SELECT deposits, withdrawals, lines, status IN ('completed', 'refunded') AS is_completed FROM wallet_sum
      WHERE user_id = ${userId} AND grain = 'all'
      UNION ALL SELECT 0, sum(charged), sum(lines), true FROM usage_month WHERE user_id = ${userId}
    ) sums`;
}

function toTotals(row: { deposits: bigint; withdrawals: bigint; lines: bigint } | undefined): Totals {
  return { deposits: row?.deposits ?? 0n, withdrawals: row?.withdrawals ?? 0n, lines: Number(row?.lines ?? 0n) };
}

/** `LineRow`s for the SQL of another module, of which `toNewestLines` makes the newest ones. */
export function newestLinesOf(userId: string, limit: number): RawBuilder<unknown> {
  return sql`(
    (SELECT ${movementColumns} FROM wallet_movement WHERE user_id = ${userId} ${newestFirst} LIMIT ${limit})
    UNION ALL
    (SELECT ${usageColumns} FROM usage_line_stored WHERE user_id = ${userId} AND day >= ${chargedSince(userId, limit)}
      ORDER BY day DESC, at DESC, id DESC LIMIT ${limit})
    UNION ALL SELECT ${usageColumns} FROM usage_line_running WHERE user_id = ${userId})`;
}

/** The newest first. A line of usage that stands twice is the one that includes its running hour. */
export function toNewestLines<Row extends LineRow>(rows: readonly Row[], limit: number): Row[] {
  const lines = new Map<string, Row>();
  for (const row of rows) {
    const other = lines.get(row.id);
    if (!other || row.amount < other.amount) lines.set(row.id, row);
  }
  return [...lines.values()].sort((a, b) => b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1)).slice(0, limit);
}

export const newestLines = prepare<{ userId: string; limit: number }, LineRow>(
  ({ userId, limit }) => sql`SELECT * FROM ${newestLinesOf(userId, limit)} l`,
);

/** Lines before an instant, newest first; all of the last instant, so that the next page begins before it. */
export async function selectLinesBefore(db: Executor, userId: string, before: Date, limit: number): Promise<LineRow[]> {
  const untilDay = sql`((${before}::timestamptz AT TIME ZONE 'Asia/Tehran')::date + 1)`;
  const { rows } = await sql<LineRow>`
    SELECT * FROM (
      (SELECT ${movementColumns} FROM wallet_movement WHERE user_id = ${userId} AND at < ${before}
        ORDER BY at DESC FETCH FIRST ${limit} ROWS WITH TIES)
      UNION ALL SELECT ${usageColumns} FROM usage_line
      WHERE user_id = ${userId} AND at < ${before} AND day < ${untilDay}
        AND day >= ${usedSince(userId, sql`${limit}::bigint + ${LINES_OF_A_DAY}`, untilDay)}
    ) every ORDER BY at DESC FETCH FIRST ${limit} ROWS WITH TIES
  `.execute(db);
  return rows;
}

/** More than a user's configs use on the day in which a page begins. */
const LINES_OF_A_DAY = 100;

export async function selectLine(db: Executor, userId: string, id: string): Promise<LineRow | undefined> {
  const moved = await sql<LineRow>`
    SELECT ${movementColumns} FROM wallet_movement WHERE user_id = ${userId} AND id = ${id}
  `.execute(db);
  // The derived ids of usage are UUIDs of version 8.
  if (moved.rows[0] || id[14] !== '8') return moved.rows[0];
  const used = await sql<LineRow>`
    SELECT id, at, 'usage' AS type, -charged AS amount, 'completed' AS status, name AS detail, NULL AS plan_name_fa, NULL AS plan_name_en
    FROM usage_line WHERE user_id = ${userId} AND id = ${id}
  `.execute(db);
  return used.rows[0];
}

/** Movements of the wallet in [begin, end) without usage, newest first, each with its day in Tehran. */
export async function selectMovements(
  db: Executor,
  userId: string,
  span: { begin: Date; end: Date },
): Promise<(LineRow & { readonly day: string })[]> {
  const { rows } = await sql<LineRow & { day: string }>`
    SELECT ${movementColumns}, to_char(at AT TIME ZONE 'Asia/Tehran', 'YYYY-MM-DD') AS day FROM wallet_movement
    WHERE user_id = ${userId} AND status IN ('completed', 'refunded') AND at >= ${span.begin} AND at < ${span.end}
    ${newestFirst}
  `.execute(db);
  return rows;
}

export type PaymentLineRow = Omit<LineRow, 'type' | 'status'> & {
  readonly type: PaymentRecord['type'];
  readonly status: PaymentRecord['status'];
};

export interface PaymentFilter {
  readonly id?: string | undefined;
  readonly status?: PaymentRecord['status'] | undefined;
  readonly type?: PaymentRecord['type'] | undefined;
  readonly gateway?: string | undefined;
}

/** Payments of a user, newest first: charges, gift cards and plans, without credits for plans. */
export async function selectPaymentLines(
  db: Executor,
  userId: string,
  filter: PaymentFilter,
  page: { readonly limit: number; readonly offset: number },
): Promise<PaymentLineRow[]> {
  const { id, status, type, gateway } = filter;
  const only = (value: string | undefined, condition: RawBuilder<unknown>) =>
    value === undefined ? sql`` : sql`AND ${condition}`;
  const kind = sql.raw(
    `CASE WHEN type = 'subscription' AND detail = 'renewal' THEN 'subscription_renewal' ELSE type END`,
  );
  const isFar = page.offset > 0;
  const { rows } = await sql<PaymentLineRow>`
    ${isFar ? sql`WITH ${startOfPage(paymentCounts(userId, filter), page.offset)}` : sql``}
    SELECT id, at, ${kind} AS type, abs(amount) AS amount, status, detail, plan_name_fa, plan_name_en FROM wallet_movement
    WHERE user_id = ${userId} AND (type = 'wallet_charge' OR type = 'gift_card' OR (type = 'subscription' AND amount < 0))
      ${only(id, sql`id = ${id}`)} ${only(status, sql`status = ${status}`)} ${only(type, sql`${kind} = ${type}`)}
      ${only(gateway, sql`type = 'wallet_charge' AND detail = ${gateway}`)}
      ${isFar ? sql`AND at < (SELECT until FROM page_start)` : sql``}
    ${newestFirst} LIMIT ${page.limit} ${isFar ? sql`OFFSET (SELECT rest FROM page_start)` : sql``}
  `.execute(db);
  return rows;
}

function paymentCounts(userId: string, { status, type, gateway }: PaymentFilter): LineCounts {
  const only = (value: string | undefined, column: string) =>
    value === undefined ? sql`` : sql`AND ${sql.raw(column)} = ${value}`;
  const counted = sql`
    SELECT begins, lines FROM wallet_sum
    WHERE user_id = ${userId} AND (kind IN ('wallet_charge', 'gift_card', 'subscription', 'subscription_renewal')) IS TRUE
      ${only(status, 'status')} ${only(type, 'kind')} ${only(gateway, 'gateway')}`;
  return {
    byMonth: sql`${counted} AND grain = 'month'`,
    byDay: (month) =>
      sql`${counted} AND grain = 'day' AND begins >= ${month} AND begins < (${month} + interval '1 month')::date`,
  };
}

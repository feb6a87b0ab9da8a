import type { WalletTransaction } from '@raha/contract/public/wallet.ts';
import { type RawBuilder, sql } from 'kysely';
import { addDays } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';

/** Sums of a wallet since an instant: running sums of whole months and days, and the rest of the first day by its rows. */

/**
 * IS TRUE keeps these out of the conditions of an index. A user has few sums, and PostgreSQL 18 takes such an index, whose columns before are
 * not all known, for so dear without values that it planned the statement anew for each call among many users.
 */
const isCompleted = sql.raw(`(status IN ('completed', 'refunded')) IS TRUE`);
const isPayment = sql.raw(`(kind IN ('wallet_charge', 'gift_card', 'subscription', 'subscription_renewal')) IS TRUE`);

/** `kind`, `status`, `gateway`, `deposits`, `withdrawals` and `lines`, usage left out. */
function sumsOf(userId: string, since: Date | undefined): RawBuilder<unknown> {
  const own = sql`SELECT kind, status, gateway, deposits, withdrawals, lines FROM wallet_sum WHERE user_id = ${userId}`;
  if (since === undefined) return sql`${own} AND grain = 'all'`;
  const day = sql`(${since}::timestamptz AT TIME ZONE 'Asia/Tehran')::date`;
  const nextMonth = sql`(date_trunc('month', ${day}::timestamp) + interval '1 month')::date`;
  return sql`
    ${own} AND grain = 'month' AND begins >= ${nextMonth}
    UNION ALL ${own} AND grain = 'day' AND begins > ${day} AND begins < ${nextMonth}
    UNION ALL
    SELECT CASE WHEN type = 'subscription' AND detail IN ('renewal', 'credit') THEN 'subscription_' || detail ELSE type END,
      status, CASE type WHEN 'wallet_charge' THEN detail ELSE '' END, greatest(amount, 0), greatest(-amount, 0), 1
    FROM wallet_movement
    WHERE user_id = ${userId} AND at >= ${since} AND at < (${day} + 1)::timestamp AT TIME ZONE 'Asia/Tehran'`;
}

/** The same of usage, `charged` and `lines`: whole months, and the lines of the first one. */
function usageSince(userId: string, since: Date | undefined): RawBuilder<unknown> {
  const months = sql`SELECT charged, lines FROM usage_month WHERE user_id = ${userId}`;
  if (since === undefined) return months;
  const day = sql`(${since}::timestamptz AT TIME ZONE 'Asia/Tehran')::date`;
  const nextMonth = sql`(date_trunc('month', ${day}::timestamp) + interval '1 month')::date`;
  return sql`
    ${months} AND begins >= ${nextMonth}
    UNION ALL SELECT charged, 1 FROM usage_line WHERE user_id = ${userId} AND day >= ${day} AND day < ${nextMonth} AND at >= ${since}`;
}

/** Sums of a wallet's completed lines by type, in toman. */
export async function sumByType(
  db: Executor,
  userId: string,
  since: Date | undefined,
): Promise<{ type: WalletTransaction['type']; deposits: bigint; withdrawals: bigint; lines: number }[]> {
  const { rows } = await sql<{
    type: WalletTransaction['type'];
    deposits: bigint;
    withdrawals: bigint;
    lines: bigint;
  }>`
    SELECT type, sum(deposits)::bigint AS deposits, sum(withdrawals)::bigint AS withdrawals, sum(lines)::bigint AS lines FROM (
      SELECT CASE WHEN kind LIKE 'subscription%' THEN 'subscription' ELSE kind END AS type, deposits, withdrawals, lines
      FROM (${sumsOf(userId, since)}) sums WHERE ${isCompleted}
      UNION ALL
      SELECT 'usage', 0, charged, lines FROM (${usageSince(userId, since)}) used
    ) parts GROUP BY type HAVING sum(lines) > 0 ORDER BY type
  `.execute(db);
  return rows.map((row) => ({ ...row, lines: Number(row.lines) }));
}

export interface PaymentSum {
  readonly kind: 'wallet_charge' | 'gift_card' | 'subscription' | 'subscription_renewal';
  readonly status: 'pending' | 'completed' | 'failed' | 'cancelled' | 'refunded';
  readonly gateway: string;
  readonly toman: bigint;
  readonly count: number;
}

/** Payments of a user by kind, status and gateway. */
export async function sumPayments(db: Executor, userId: string, since: Date | undefined): Promise<PaymentSum[]> {
  const { rows } = await sql<Omit<PaymentSum, 'count'> & { count: bigint }>`
    SELECT kind, status, gateway, sum(deposits + withdrawals)::bigint AS toman, sum(lines)::bigint AS count
    FROM (${sumsOf(userId, since)}) sums WHERE ${isPayment}
    GROUP BY kind, status, gateway
  `.execute(db);
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

/** Money in and out for every day (Tehran) of the period, oldest first. */
export async function sumByDay(
  db: Executor,
  userId: string,
  days: number,
  now: Date,
): Promise<{ day: string; deposits: bigint; withdrawals: bigint }[]> {
  const { rows } = await sql<{ day: string; deposits: bigint; withdrawals: bigint }>`
    WITH days AS (
      SELECT ((${now}::timestamptz AT TIME ZONE 'Asia/Tehran')::date - back) AS day FROM generate_series(0, ${days - 1}::integer) back
    ), sums AS (
      SELECT begins AS day, deposits, withdrawals FROM wallet_sum
      WHERE user_id = ${userId} AND grain = 'day' AND begins >= (${addDays(now, -days)}::timestamptz AT TIME ZONE 'Asia/Tehran')::date AND ${isCompleted}
      UNION ALL
      SELECT day, 0, charged FROM usage_line
      WHERE user_id = ${userId} AND day >= (${addDays(now, -days)}::timestamptz AT TIME ZONE 'Asia/Tehran')::date
    )
    SELECT to_char(d.day, 'YYYY-MM-DD') AS day, coalesce(sum(s.deposits), 0)::bigint AS deposits,
      coalesce(sum(s.withdrawals), 0)::bigint AS withdrawals
    FROM days d LEFT JOIN sums s ON s.day = d.day GROUP BY d.day ORDER BY d.day
  `.execute(db);
  return rows;
}

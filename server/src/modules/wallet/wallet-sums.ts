import { toWire } from '@raha/contract/money.ts';
import type { WalletTransaction } from '@raha/contract/public/wallet.ts';
import { sql } from 'kysely';
import { addDays } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';

/** `30d` as the instant where it begins; undefined for `all`. */
export function beginOf(period: string, now: Date): Date | undefined {
  return period === 'all' ? undefined : addDays(now, -Number(period.slice(0, -1)));
}

/** Sums of the completed lines of a wallet by type, in toman, signed. */
async function sumByType(
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
    SELECT type, coalesce(sum(amount) FILTER (WHERE amount > 0), 0)::bigint AS deposits,
      coalesce(-sum(amount) FILTER (WHERE amount < 0), 0)::bigint AS withdrawals, count(*) AS lines
    FROM wallet_line WHERE user_id = ${userId} AND status = 'completed' AND at >= ${since ?? new Date(0)}
    GROUP BY type ORDER BY type
  `.execute(db);
  return rows.map((row) => ({ ...row, lines: Number(row.lines) }));
}

/** The sums of a period as answers carry them. */
export async function describeSums(db: Executor, userId: string, since: Date | undefined) {
  const types = await sumByType(db, userId, since);
  const total = (pick: (sum: (typeof types)[number]) => bigint) =>
    toWire(types.reduce((sum, type) => sum + pick(type), 0n));
  return {
    totalDeposits: total((type) => type.deposits),
    totalWithdrawals: total((type) => type.withdrawals),
    totalTransactions: types.reduce((sum, type) => sum + type.lines, 0),
    byType: types.map(({ type, deposits, withdrawals, lines }) => ({
      type,
      amount: toWire(deposits - withdrawals),
      count: lines,
    })),
  };
}

/** Money in and out per day of Tehran, oldest first, every day of the period. */
export async function sumByDay(
  db: Executor,
  userId: string,
  days: number,
  now: Date,
): Promise<{ day: string; deposits: bigint; withdrawals: bigint }[]> {
  const { rows } = await sql<{ day: string; deposits: bigint; withdrawals: bigint }>`
    WITH days AS (
      SELECT ((${now}::timestamptz AT TIME ZONE 'Asia/Tehran')::date - back) AS day FROM generate_series(0, ${days - 1}::integer) back
    ), lines AS (
      SELECT (at AT TIME ZONE 'Asia/Tehran')::date AS day, amount FROM wallet_line
      WHERE user_id = ${userId} AND status = 'completed' AND at >= ${addDays(now, -days - 1)}
    )
    SELECT to_char(d.day, 'YYYY-MM-DD') AS day,
      coalesce(sum(l.amount) FILTER (WHERE l.amount > 0), 0)::bigint AS deposits,
      coalesce(-sum(l.amount) FILTER (WHERE l.amount < 0), 0)::bigint AS withdrawals
    FROM days d LEFT JOIN lines l ON l.day = d.day GROUP BY d.day ORDER BY d.day
  `.execute(db);
  return rows;
}

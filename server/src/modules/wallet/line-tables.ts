import type { PaymentRecord } from '@raha/contract/public/payments.ts';
import type { WalletTransaction } from '@raha/contract/public/wallet.ts';
import { type RawBuilder, sql } from 'kysely';
import { addDays } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';

/** Queries over the view `wallet_line`. */
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

const columns = sql.raw('id, at, type, amount, status, detail, plan_name_fa, plan_name_en');

export async function selectLines(
  db: Executor,
  userId: string,
  page: { number: number; size: number },
): Promise<LineRow[]> {
  const { rows } = await sql<LineRow>`
    SELECT ${columns} FROM wallet_line WHERE user_id = ${userId}
    ORDER BY at DESC, id DESC LIMIT ${page.size} OFFSET ${(page.number - 1) * page.size}
  `.execute(db);
  return rows;
}

/** `LineRow`s, the newest ones, for the statement of another module. */
export function newestLinesOf(userId: string, limit: number): RawBuilder<unknown> {
  return sql`(SELECT ${columns} FROM wallet_line WHERE user_id = ${userId} ORDER BY at DESC, id DESC LIMIT ${limit})`;
}

export async function selectLine(db: Executor, userId: string, id: string): Promise<LineRow | undefined> {
  const { rows } = await sql<LineRow>`
    SELECT ${columns} FROM wallet_line WHERE user_id = ${userId} AND id = ${id}
  `.execute(db);
  return rows[0];
}

/** Movements of the wallet in [begin, end) without usage, newest first, each with its day in Tehran. */
export async function selectMovements(
  db: Executor,
  userId: string,
  span: { begin: Date; end: Date },
): Promise<(LineRow & { readonly day: string })[]> {
  const { rows } = await sql<LineRow & { day: string }>`
    SELECT ${columns}, to_char(at AT TIME ZONE 'Asia/Tehran', 'YYYY-MM-DD') AS day FROM wallet_line
    WHERE user_id = ${userId} AND type <> 'usage' AND status = 'completed' AND at >= ${span.begin} AND at < ${span.end}
    ORDER BY at DESC, id DESC
  `.execute(db);
  return rows;
}

export async function sumLines(
  db: Executor,
  userId: string,
): Promise<{ deposits: bigint; withdrawals: bigint; lines: number }> {
  const result = await sql<{ deposits: bigint; withdrawals: bigint; lines: bigint }>`
    SELECT coalesce(sum(amount) FILTER (WHERE amount > 0 AND status = 'completed'), 0) AS deposits,
      coalesce(-sum(amount) FILTER (WHERE amount < 0 AND status = 'completed'), 0) AS withdrawals, count(*) AS lines
    FROM wallet_line WHERE user_id = ${userId}
  `.execute(db);
  const row = result.rows[0] as { deposits: bigint; withdrawals: bigint; lines: bigint };
  return { deposits: row.deposits, withdrawals: row.withdrawals, lines: Number(row.lines) };
}

/** Signed sums of a wallet's completed lines by type, in toman. */
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
    SELECT type, coalesce(sum(amount) FILTER (WHERE amount > 0), 0)::bigint AS deposits,
      coalesce(-sum(amount) FILTER (WHERE amount < 0), 0)::bigint AS withdrawals, count(*) AS lines
    FROM wallet_line WHERE user_id = ${userId} AND status = 'completed' AND at >= ${since ?? new Date(0)}
    GROUP BY type ORDER BY type
  `.execute(db);
  return rows.map((row) => ({ ...row, lines: Number(row.lines) }));
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

export type PaymentLineRow = Omit<LineRow, 'type' | 'status'> & {
  readonly type: PaymentRecord['type'];
  readonly status: PaymentRecord['status'];
};

/** The newest payments of a user: charges, gift cards and plans, without credits for plans. */
export async function selectPaymentLines(
  db: Executor,
  userId: string,
  { since, id, limit }: { since?: Date | undefined; id?: string | undefined; limit: number },
): Promise<PaymentLineRow[]> {
  const { rows } = await sql<PaymentLineRow>`
    SELECT id, at, CASE WHEN type = 'subscription' AND detail = 'renewal' THEN 'subscription_renewal' ELSE type END AS type,
      abs(amount) AS amount, status, detail, plan_name_fa, plan_name_en
    FROM wallet_line
    WHERE user_id = ${userId} AND (type IN ('wallet_charge', 'gift_card') OR (type = 'subscription' AND amount < 0))
      AND at >= ${since ?? new Date(0)} AND ${id === undefined ? sql`true` : sql`id = ${id}`}
    ORDER BY at DESC, id DESC LIMIT ${limit}
  `.execute(db);
  return rows;
}

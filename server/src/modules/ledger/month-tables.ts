import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import type { Days } from './reports.ts';

/** book_month and book_month_sum: closed months and their sums. */
export interface ClosedMonth {
  readonly month: string;
  readonly first_day: string;
  readonly last_day: string;
  readonly transfers: bigint;
  readonly operator: string;
  readonly closed_at: Date;
}

export async function selectClosedMonths(db: Executor): Promise<ClosedMonth[]> {
  const result = await sql<ClosedMonth>`
    SELECT month, first_day::text, last_day::text, transfers, operator, closed_at FROM book_month ORDER BY month
  `.execute(db);
  return result.rows;
}

/** The first day on which anything is booked, and the first that is booked after all closed months. */
export async function selectFirstDays(db: Executor): Promise<{ first: string | null; open: string | null }> {
  const result = await sql<{ first: string | null; open: string | null }>`
    SELECT (SELECT min(booked_on) FROM ledger_transfer)::text AS first,
      coalesce((SELECT max(last_day) + 1 FROM book_month), (SELECT min(booked_on) FROM ledger_transfer))::text AS open
  `.execute(db);
  return result.rows[0] ?? { first: null, open: null };
}

/** Each account with its sum; those of all users are two. */
const account = sql.raw(`CASE a.kind WHEN 'house' THEN a.code ELSE a.kind END`);

/**
 * Waits for every transaction that books on a day of the month, closes it, and keeps its sums. False if it is closed already.
 * The month before it must be closed, or nothing may be booked before it.
 */
export async function closeMonth(
  tx: Tx,
  month: string,
  days: Days,
  { operator, now }: { readonly operator: string; readonly now: Date },
): Promise<boolean> {
  await sql`
    SELECT pg_advisory_xact_lock(1405, day::date - date '2000-01-01')
    FROM generate_series(${days.from}::date, ${days.to}::date, interval '1 day') day
  `.execute(tx);
  const inserted = await sql`
    INSERT INTO book_month (month, first_day, last_day, transfers, operator, closed_at)
    SELECT ${month}, ${days.from}::date, ${days.to}::date, count(*), ${operator}, ${now} FROM ledger_transfer
    WHERE booked_on BETWEEN ${days.from}::date AND ${days.to}::date
    ON CONFLICT DO NOTHING
  `.execute(tx);
  if (!inserted.numAffectedRows) return false;
  await sql`
    WITH moved AS (
      SELECT ${account} AS account, sum(e.amount) AS toman
      FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
      WHERE t.booked_on BETWEEN ${days.from}::date AND ${days.to}::date GROUP BY 1
    ), before AS (
      SELECT s.account, s.closing_toman FROM book_month_sum s JOIN book_month m ON m.month = s.month
      WHERE m.last_day = ${days.from}::date - 1
    )
    INSERT INTO book_month_sum (month, account, moved_toman, closing_toman)
    SELECT ${month}, account, coalesce(moved.toman, 0), coalesce(moved.toman, 0) + coalesce(before.closing_toman, 0)
    FROM moved FULL JOIN before USING (account)
  `.execute(tx);
  return true;
}

export interface MonthRow {
  readonly account: string;
  readonly kind: string;
  readonly source: string;
  readonly purpose: string;
  readonly transfers: bigint;
  readonly toman: bigint;
}

/** What the days moved on each account, by the cause of the transfers. */
export async function selectMoved(db: Executor, days: Days): Promise<MonthRow[]> {
  const result = await sql<MonthRow>`
    SELECT ${account} AS account, t.kind, t.source_type AS source, t.purpose, count(DISTINCT t.id) AS transfers,
      sum(e.amount)::bigint AS toman
    FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
    WHERE t.booked_on BETWEEN ${days.from}::date AND ${days.to}::date GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
  `.execute(db);
  return result.rows;
}

/** Each account's balance at the end of a day; those of all users are two. */
export async function selectClosing(db: Executor, day: string): Promise<{ account: string; toman: bigint }[]> {
  const result = await sql<{ account: string; toman: bigint }>`
    SELECT ${account} AS account, sum(e.amount)::bigint AS toman
    FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
    WHERE t.booked_on <= ${day}::date GROUP BY 1 HAVING sum(e.amount) <> 0 ORDER BY 1
  `.execute(db);
  return result.rows;
}

/** Facts of closed months that were booked in these days, by their own day. */
export async function selectLate(
  db: Executor,
  days: Days,
): Promise<{ day: string; transfers: bigint; toman: bigint }[]> {
  const result = await sql<{ day: string; transfers: bigint; toman: bigint }>`
    SELECT t.fact_day::text AS day, count(DISTINCT t.id) AS transfers, sum(e.amount) FILTER (WHERE e.amount > 0)::bigint AS toman
    FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id
    WHERE t.fact_day IS NOT NULL AND t.booked_on BETWEEN ${days.from}::date AND ${days.to}::date GROUP BY 1 ORDER BY 1
  `.execute(db);
  return result.rows;
}

/** What every account holds before a day: an account per user, as the journal has them. */
export async function selectOpening(db: Executor, day: string): Promise<{ code: string; amount: string }[]> {
  const result = await sql<{ code: string; amount: string }>`
    SELECT a.code, sum(e.amount)::text AS amount
    FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
    WHERE t.booked_on < ${day}::date GROUP BY a.code HAVING sum(e.amount) <> 0 ORDER BY a.code
  `.execute(db);
  return result.rows;
}

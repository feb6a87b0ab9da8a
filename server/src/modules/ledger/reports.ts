import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';

/** Queries over the ledger for reports. Days are those of the books, in Tehran. */
export interface Days {
  /** First day, inclusive, as YYYY-MM-DD. */
  readonly from: string;
  /** Last day, inclusive. */
  readonly to: string;
}

const day = sql.raw('t.booked_on');

export interface DayRow {
  readonly day: string;
  readonly what: string;
  readonly transfers: bigint;
  readonly amount: bigint;
}

/** What was booked on house accounts by day; a positive amount increased the account, for revenue and clearing alike. */
export async function selectByDay(
  db: Executor,
  which: { readonly kinds: readonly string[]; readonly accounts: string },
  days: Days,
): Promise<DayRow[]> {
  const result = await sql<DayRow>`
    SELECT to_char(${day}, 'YYYY-MM-DD') AS day, a.code AS what, count(*) AS transfers, sum(e.amount)::bigint AS amount
    FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
    WHERE t.kind = ANY (${which.kinds}::text[]) AND a.kind = 'house' AND a.code LIKE ${which.accounts}
      AND ${day} BETWEEN ${days.from}::date AND ${days.to}::date
    GROUP BY 1, 2 ORDER BY 1, 2
  `.execute(db);
  return result.rows;
}

/** Refunds and reversals by day and step (reserve, confirm, return …), each with the amount it moved. */
export async function selectStepsByDay(db: Executor, kinds: readonly string[], days: Days): Promise<DayRow[]> {
  const result = await sql<DayRow>`
    SELECT to_char(${day}, 'YYYY-MM-DD') AS day, t.kind || ' ' || t.purpose AS what, count(DISTINCT t.id) AS transfers,
      sum(e.amount) FILTER (WHERE e.amount > 0)::bigint AS amount
    FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id
    WHERE t.kind = ANY (${kinds}::text[]) AND ${day} BETWEEN ${days.from}::date AND ${days.to}::date
    GROUP BY 1, 2 ORDER BY 1, 2
  `.execute(db);
  return result.rows;
}

/** The sum of the entries of each house account by its code, and of all accounts of users by their kind. */
export async function sumAccounts(db: Executor): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ name: string; balance: bigint }>`
    SELECT CASE a.kind WHEN 'house' THEN a.code ELSE a.kind END AS name, sum(e.toman)::bigint AS balance
    FROM (SELECT account_id, sum(amount) AS toman FROM ledger_entry GROUP BY account_id) e
      JOIN ledger_account a ON a.id = e.account_id
    GROUP BY 1
  `.execute(db);
  return new Map(rows.map(({ name, balance }) => [name, balance]));
}

export interface JournalRow {
  readonly id: string;
  /** The day of the books, as YYYY-MM-DD. */
  readonly day: string;
  readonly kind: string;
  readonly source_type: string;
  readonly source_id: string;
  readonly purpose: string;
  /** The day of a fact whose own month was closed; null: the day of the books. */
  readonly fact_day: string | null;
  readonly lines: readonly { readonly code: string; readonly amount: string }[];
}

/** The next transfers after an id, in the order of their ids, with their entries; of all days or of some. */
export async function selectJournal(db: Executor, after: string, limit: number, days?: Days): Promise<JournalRow[]> {
  const chosen = days ? sql`AND t.booked_on BETWEEN ${days.from}::date AND ${days.to}::date` : sql``;
  const result = await sql<JournalRow>`
    SELECT t.id, t.booked_on::text AS day, t.kind, t.source_type, t.source_id, t.purpose, t.fact_day::text,
      (SELECT json_agg(json_build_object('code', a.code, 'amount', e.amount::text) ORDER BY a.code)
       FROM ledger_entry e JOIN ledger_account a ON a.id = e.account_id WHERE e.transfer_id = t.id) AS lines
    FROM ledger_transfer t WHERE t.id > ${after} ${chosen} ORDER BY t.id LIMIT ${limit}
  `.execute(db);
  return result.rows;
}

export interface SourceEntry {
  readonly transfer_id: string;
  readonly kind: string;
  readonly purpose: string;
  readonly at: Date;
  /** A house account; null: a user's wallet. */
  readonly account: string | null;
  readonly amount: bigint;
}

/** What these causes moved, oldest first, in the books' own signs. */
export async function selectEntriesOfSources(
  db: Executor,
  sources: readonly { readonly type: string; readonly id: string }[],
): Promise<SourceEntry[]> {
  const { rows } = await sql<SourceEntry>`
    SELECT t.id AS transfer_id, t.kind, t.purpose, t.created_at AS at,
      CASE WHEN a.kind = 'house' THEN a.code END AS account, e.amount
    FROM unnest(${sources.map(({ type }) => type)}::text[], ${sources.map(({ id }) => id)}::text[]) AS s (source_type, source_id)
    JOIN ledger_transfer t ON t.source_type = s.source_type AND t.source_id = s.source_id
    JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
    ORDER BY t.created_at, t.id, e.amount
  `.execute(db);
  return rows;
}

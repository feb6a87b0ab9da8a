import { type RawBuilder, sql } from 'kysely';
import { addSeconds } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { firstIdOf } from '../../platform/random.ts';

/** Queries over the ledger for one user's statement. */
export interface UserLine {
  readonly id: string;
  readonly kind: string;
  readonly purpose: string;
  readonly at: Date;
  /** The signed change of the user's money, free and reserved together. */
  readonly amount: bigint;
}

/** Entries of an account are in the order of their time but for this: clocks differ, and a transfer may wait for an account. */
const DISORDER_SECONDS = 3_600;

/**
 * Movements of a user's money in [from, to), newest first. Transfers that only reserve or release money are left out. However
 * long an account's history is, as much of it is read as the span has: the versions of its entries go up with their time, so the
 * first and the last of the span are found by halving, and ids of transfers begin with their time.
 */
export async function listUserLines(
  db: Executor,
  userId: string,
  span: { from: Date; to: Date },
  page: { number: number; size: number },
): Promise<{ lines: UserLine[]; count: number; sum: bigint }> {
  const { rows } = await sql<UserLine & { count: bigint; sum: bigint }>`
    WITH RECURSIVE half AS (
      SELECT a.id AS account_id, edge.is_first, edge.at, 1::bigint AS low, a.version + 1 AS high
      FROM ledger_account a CROSS JOIN (VALUES
        (true, ${idOf(addSeconds(span.from, -DISORDER_SECONDS))}), (false, ${idOf(addSeconds(span.to, DISORDER_SECONDS))})
      ) edge (is_first, at)
      WHERE a.owner_id = ${userId}
      UNION ALL
      SELECT h.account_id, h.is_first, h.at,
        CASE WHEN e.transfer_id < h.at THEN e.account_version + 1 ELSE h.low END,
        CASE WHEN e.transfer_id < h.at THEN h.high ELSE e.account_version END
      FROM half h CROSS JOIN LATERAL (
        SELECT transfer_id, account_version FROM ledger_entry
        WHERE account_id = h.account_id AND account_version = (h.low + h.high) / 2 LIMIT 1
      ) e
      WHERE h.low < h.high
    ), part AS (
      SELECT account_id, max(low) FILTER (WHERE is_first) AS first, max(low) FILTER (WHERE NOT is_first) AS beyond
      FROM half WHERE low = high GROUP BY account_id
    ), moved AS (
      SELECT e.transfer_id, sum(e.amount)::bigint AS amount
      FROM part p CROSS JOIN LATERAL (
        SELECT transfer_id, amount FROM ledger_entry
        WHERE account_id = p.account_id AND account_version >= p.first AND account_version < p.beyond
        -- So that they are found by their versions, and not among all transfers of the days.
        OFFSET 0
      ) e
      WHERE e.transfer_id >= ${idOf(span.from)} AND e.transfer_id < ${idOf(span.to)}
      GROUP BY e.transfer_id HAVING sum(e.amount) <> 0
    )
    SELECT t.id, t.kind, t.purpose, t.created_at AS at, m.amount, count(*) OVER () AS count, sum(m.amount) OVER ()::bigint AS sum
    FROM moved m CROSS JOIN LATERAL (SELECT id, kind, purpose, created_at FROM ledger_transfer WHERE id = m.transfer_id LIMIT 1) t
    ORDER BY t.created_at DESC, t.id DESC LIMIT ${page.size} OFFSET ${(page.number - 1) * page.size}
  `.execute(db);
  return { lines: rows, count: Number(rows[0]?.count ?? 0n), sum: rows[0]?.sum ?? 0n };
}

/** The first id of an instant. An id cannot hold a time before 1970. */
function idOf(instant: Date): RawBuilder<unknown> {
  return sql`${firstIdOf(new Date(Math.max(0, instant.getTime())))}::uuid`;
}

/** Whose money a transfer of the ledger moved. */
export async function listOwnersOfTransfer(db: Executor, transferId: string): Promise<string[]> {
  const { rows } = await sql<{ owner_id: string }>`
    SELECT DISTINCT a.owner_id FROM ledger_entry e JOIN ledger_account a ON a.id = e.account_id
    WHERE e.transfer_id = ${transferId} AND a.owner_id IS NOT NULL
  `.execute(db);
  return rows.map((row) => row.owner_id);
}

import { sql } from 'kysely';
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

/**
 * Movements of a user's money in [from, to), newest first. Transfers that only reserve or release money are left out. The
 * ids of transfers begin with their time, so that an index range over ids selects the days.
 */
export async function listUserLines(
  db: Executor,
  userId: string,
  span: { from: Date; to: Date },
  page: { number: number; size: number },
): Promise<{ lines: UserLine[]; count: number; sum: bigint }> {
  const { rows } = await sql<UserLine & { count: bigint; sum: bigint }>`
    WITH moved AS (
      SELECT e.transfer_id, sum(e.amount)::bigint AS amount
      FROM ledger_account a JOIN ledger_entry e ON e.account_id = a.id
      WHERE a.owner_id = ${userId} AND e.transfer_id >= ${firstIdOf(atLeastEpoch(span.from))}::uuid AND e.transfer_id < ${firstIdOf(atLeastEpoch(span.to))}::uuid
      GROUP BY e.transfer_id HAVING sum(e.amount) <> 0
    )
    SELECT t.id, t.kind, t.purpose, t.created_at AS at, m.amount, count(*) OVER () AS count, sum(m.amount) OVER ()::bigint AS sum
    FROM moved m JOIN ledger_transfer t ON t.id = m.transfer_id
    ORDER BY t.created_at DESC, t.id DESC LIMIT ${page.size} OFFSET ${(page.number - 1) * page.size}
  `.execute(db);
  return { lines: rows, count: Number(rows[0]?.count ?? 0n), sum: rows[0]?.sum ?? 0n };
}

/** An id cannot hold a time before 1970. */
function atLeastEpoch(instant: Date): Date {
  return new Date(Math.max(0, instant.getTime()));
}

import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import type { MonthDays } from './jalali-month.ts';

/** What usage cost each user in days of the books, erased users too. */
export async function sumUsage(db: Executor, days: MonthDays): Promise<{ userId: string; toman: bigint }[]> {
  const result = await sql<{ userId: string; toman: bigint }>`
    SELECT a.owner_id AS "userId", -sum(e.amount)::bigint AS toman
    FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
    WHERE t.kind = 'usage' AND a.owner_id IS NOT NULL AND t.booked_on BETWEEN ${days.from}::date AND ${days.to}::date
    GROUP BY 1 HAVING sum(e.amount) < 0 ORDER BY 1
  `.execute(db);
  return result.rows;
}

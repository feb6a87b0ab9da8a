import { sql } from 'kysely';
import type { Executor } from '../src/platform/database.ts';

export interface BalanceRow {
  readonly code: string;
  readonly kind: 'user_wallet' | 'user_lease' | 'house';
  readonly balance: bigint;
}

/** Every account with the sum of its entries. */
export async function selectBalances(db: Executor): Promise<BalanceRow[]> {
  const result = await sql<BalanceRow>`
    SELECT a.code, a.kind, coalesce(sum(e.amount), 0)::bigint AS balance
    FROM ledger_account a LEFT JOIN ledger_entry e ON e.account_id = a.id GROUP BY a.id ORDER BY a.code
  `.execute(db);
  return result.rows;
}

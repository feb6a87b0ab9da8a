import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names `wallet_correction`. */
export interface Correction {
  readonly id: string;
  readonly userId: string;
  readonly kind: 'adjustment' | 'remainder' | 'debt';
  readonly amountToman: bigint;
  readonly reason: string;
  readonly operator: string;
  /** Of a member of staff; null: at the command line. */
  readonly staffId: string | null;
  readonly limitToman: bigint | null;
  readonly proposalId: string | null;
  /** Of a credit of many users. */
  readonly bulkId: string | null;
}

export async function insertCorrection(tx: Tx, correction: Correction, now: Date): Promise<void> {
  const { id, userId, kind, amountToman, reason, operator, staffId, limitToman, proposalId, bulkId } = correction;
  await sql`
    INSERT INTO wallet_correction (id, user_id, kind, amount_toman, reason, operator, created_at, staff_id, limit_toman, proposal_id, bulk_id)
    VALUES (${id}, ${userId}, ${kind}, ${amountToman}, ${reason}, ${operator}, ${now}, ${staffId}, ${limitToman}, ${proposalId}, ${bulkId})
  `.execute(tx);
}

/** What members corrected in a user's wallet since then without a second one, in either direction. */
export async function sumSmall(db: Executor, userId: string, since: Date): Promise<bigint> {
  const { rows } = await sql<{ toman: bigint }>`
    SELECT coalesce(sum(abs(amount_toman)), 0)::bigint AS toman FROM wallet_correction
    WHERE user_id = ${userId} AND staff_id IS NOT NULL AND proposal_id IS NULL AND created_at > ${since}
  `.execute(db);
  return rows[0]?.toman ?? 0n;
}

import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names `payment_reversal`. */
export async function insertReversal(
  tx: Tx,
  reversal: { paymentId: string; userId: string; amountToman: bigint; owedToman: bigint; evidence: unknown },
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO payment_reversal (payment_id, user_id, amount_toman, owed_toman, evidence, created_at)
    VALUES (${reversal.paymentId}, ${reversal.userId}, ${reversal.amountToman}, ${reversal.owedToman},
      ${JSON.stringify(reversal.evidence)}::jsonb, ${now})
  `.execute(tx);
}

export async function selectReversed(db: Executor, paymentIds: readonly string[]): Promise<Set<string>> {
  const result = await sql<{ payment_id: string }>`
    SELECT payment_id FROM payment_reversal WHERE payment_id = ANY (${paymentIds}::uuid[])
  `.execute(db);
  return new Set(result.rows.map((row) => row.payment_id));
}

/** Locks a user's debts, oldest first. */
export async function lockOwed(tx: Tx, userId: string): Promise<{ payment_id: string; owed_toman: bigint }[]> {
  const result = await sql<{ payment_id: string; owed_toman: bigint }>`
    SELECT payment_id, owed_toman FROM payment_reversal WHERE user_id = ${userId} AND owed_toman > 0
    ORDER BY created_at, payment_id FOR NO KEY UPDATE
  `.execute(tx);
  return result.rows;
}

export async function updateOwed(tx: Tx, paymentId: string, owedToman: bigint): Promise<void> {
  await sql`UPDATE payment_reversal SET owed_toman = ${owedToman} WHERE payment_id = ${paymentId}`.execute(tx);
}

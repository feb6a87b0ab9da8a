import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names `payment_reversal` and `debtor_mark`. */
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

export async function selectReversal(
  db: Executor,
  paymentId: string,
): Promise<{ readonly amount_toman: bigint; readonly owed_toman: bigint; readonly created_at: Date } | undefined> {
  const { rows } = await sql<{ amount_toman: bigint; owed_toman: bigint; created_at: Date }>`
    SELECT amount_toman, owed_toman, created_at FROM payment_reversal WHERE payment_id = ${paymentId}
  `.execute(db);
  return rows[0];
}

export interface DebtRow {
  readonly payment_id: string;
  readonly owed_toman: bigint;
}

/** Debts of a user, and of erased accounts with one of these marks. */
const owedBy = (userId: string, marks: readonly Buffer[]) => sql`
  owed_toman > 0 AND (user_id = ${userId} OR user_id IN (SELECT user_id FROM debtor_mark WHERE mark = ANY (${marks}::bytea[])))
`;

/** Locks these debts, oldest first. */
export async function lockOwed(tx: Tx, userId: string, marks: readonly Buffer[]): Promise<DebtRow[]> {
  const result = await sql<DebtRow>`
    SELECT payment_id, owed_toman FROM payment_reversal WHERE ${owedBy(userId, marks)}
    ORDER BY created_at, payment_id FOR NO KEY UPDATE
  `.execute(tx);
  return result.rows;
}

export async function sumOwed(db: Executor, userId: string, marks: readonly Buffer[]): Promise<bigint> {
  const result = await sql<{ owed: bigint }>`
    SELECT coalesce(sum(owed_toman), 0)::bigint AS owed FROM payment_reversal WHERE ${owedBy(userId, marks)}
  `.execute(db);
  return result.rows[0]?.owed ?? 0n;
}

/** Accounts that owe something, the largest debt first. */
export async function selectDebtors(db: Executor): Promise<{ user_id: string; owed_toman: bigint; since: Date }[]> {
  const result = await sql<{ user_id: string; owed_toman: bigint; since: Date }>`
    SELECT user_id, sum(owed_toman)::bigint AS owed_toman, min(created_at) AS since FROM payment_reversal
    WHERE owed_toman > 0 GROUP BY user_id ORDER BY 2 DESC, 1
  `.execute(db);
  return result.rows;
}

export async function updateOwed(tx: Tx, paymentId: string, owedToman: bigint): Promise<void> {
  await sql`UPDATE payment_reversal SET owed_toman = ${owedToman} WHERE payment_id = ${paymentId}`.execute(tx);
}

/** Whether a user owes something, or has a payment that a bank may still reverse. */
export async function mayComeToOwe(db: Executor, userId: string): Promise<boolean> {
  const result = await sql<{ may: boolean }>`
    SELECT EXISTS (SELECT FROM payment_reversal WHERE user_id = ${userId} AND owed_toman > 0)
      OR EXISTS (SELECT FROM payment WHERE user_id = ${userId} AND next_check_at IS NOT NULL) AS may
  `.execute(db);
  return result.rows[0]?.may ?? false;
}

export async function insertMarks(tx: Tx, userId: string, marks: readonly Buffer[], now: Date): Promise<void> {
  await sql`
    INSERT INTO debtor_mark (mark, user_id, created_at) SELECT mark, ${userId}, ${now} FROM unnest(${marks}::bytea[]) AS mark
    ON CONFLICT DO NOTHING
  `.execute(tx);
}

export async function deleteMarks(db: Executor, before: Date): Promise<void> {
  await sql`
    DELETE FROM debtor_mark m WHERE created_at < ${before}
      AND NOT EXISTS (SELECT FROM payment_reversal v WHERE v.user_id = m.user_id AND v.owed_toman > 0)
  `.execute(db);
}

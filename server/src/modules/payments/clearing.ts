import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';

/** Sums over payments, refunds and reversals for the operator's reports. */
export interface ClearingRow {
  readonly gateway: string;
  readonly credited: bigint;
  readonly refunded: bigint;
  readonly reversed: bigint;
  /** Refunds that have left wallets and not yet arrived. */
  readonly under_way: bigint;
  /** Payments that the operator must review. */
  readonly needs_review: bigint;
}

export async function selectClearing(db: Executor): Promise<ClearingRow[]> {
  const result = await sql<ClearingRow>`
    SELECT gateway, coalesce(sum(amount) FILTER (WHERE what = 'credited'), 0)::bigint AS credited,
      coalesce(sum(amount) FILTER (WHERE what = 'refunded'), 0)::bigint AS refunded,
      coalesce(sum(amount) FILTER (WHERE what = 'reversed'), 0)::bigint AS reversed,
      coalesce(sum(amount) FILTER (WHERE what = 'under_way'), 0)::bigint AS under_way,
      count(*) FILTER (WHERE what = 'needs_review') AS needs_review
    FROM (
      SELECT gateway, amount_toman AS amount, CASE state WHEN 'completed' THEN 'credited' ELSE state END AS what FROM payment
      UNION ALL
      SELECT gateway, amount_toman, CASE state WHEN 'confirmed' THEN 'refunded' WHEN 'failed' THEN 'failed' ELSE 'under_way' END
      FROM refund
      UNION ALL
      SELECT p.gateway, v.amount_toman, 'reversed' FROM payment_reversal v JOIN payment p ON p.id = v.payment_id
    ) moves GROUP BY gateway ORDER BY gateway
  `.execute(db);
  return result.rows;
}

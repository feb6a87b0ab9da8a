import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';

/** Payments with what went back of them: sums for the operator's reports, and one by one for settlement. */
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

export interface ClearedPayment {
  readonly id: string;
  readonly gateway_reference: string | null;
  readonly ref_id: string | null;
  readonly amount_toman: bigint;
  readonly isCredited: boolean;
  /** When it was credited. */
  readonly at: Date | null;
  /** Refunds that arrived and reversals by the bank. */
  readonly returns: readonly ClearedReturn[];
}

export interface ClearedReturn {
  readonly kind: 'refund' | 'reversal';
  readonly id: string;
  /** Above zero. */
  readonly amountToman: bigint;
  readonly at: Date;
}

type ClearedRow = Omit<ClearedPayment, 'returns'> & {
  readonly returns: readonly { kind: ClearedReturn['kind']; id: string; amount: string; at: string }[] | null;
};

/** Which payments: those with one of the banks' references, those with one of our ids, and those that moved in a time. */
export interface WhichCleared {
  readonly references: readonly string[];
  readonly ids: readonly string[];
  /** Credited, refunded or reversed in one of these times; the end is not included. */
  readonly times: readonly { readonly from: Date; readonly until: Date }[];
}

export async function selectCleared(
  db: Executor,
  gateway: GatewayName,
  { references, ids, times }: WhichCleared,
): Promise<ClearedPayment[]> {
  const during = sql`unnest(${times.map(({ from }) => from)}::timestamptz[], ${times.map(({ until }) => until)}::timestamptz[]) AS d (since, until)`;
  const result = await sql<ClearedRow>`
    WITH wanted AS (
      SELECT id FROM payment WHERE gateway = ${gateway} AND ref_id = ANY (${references}::text[])
      UNION SELECT id FROM payment WHERE gateway = ${gateway} AND gateway_reference = ANY (${references}::text[])
      UNION SELECT id FROM payment WHERE gateway = ${gateway} AND id = ANY (${ids}::uuid[])
      UNION SELECT p.id FROM ${during} JOIN payment p ON p.settled_at >= since AND p.settled_at < until
        WHERE p.gateway = ${gateway} AND p.state = 'completed'
      UNION SELECT r.payment_id FROM ${during} JOIN refund r ON r.settled_at >= since AND r.settled_at < until
        WHERE r.gateway = ${gateway} AND r.state = 'confirmed'
      UNION SELECT v.payment_id FROM ${during} JOIN payment_reversal v ON v.created_at >= since AND v.created_at < until
        JOIN payment p ON p.id = v.payment_id AND p.gateway = ${gateway}
    )
    SELECT p.id, p.gateway_reference, p.ref_id, p.amount_toman, p.state = 'completed' AS "isCredited",
      CASE WHEN p.state = 'completed' THEN p.settled_at END AS at,
      (SELECT json_agg(json_build_object('kind', kind, 'id', id, 'amount', amount::text, 'at', at) ORDER BY at, kind) FROM (
        SELECT 'refund' AS kind, r.id, r.amount_toman AS amount, r.settled_at AS at FROM refund r
        WHERE r.payment_id = p.id AND r.state = 'confirmed'
        UNION ALL
        SELECT 'reversal', v.payment_id, v.amount_toman, v.created_at FROM payment_reversal v WHERE v.payment_id = p.id
      ) back) AS returns
    FROM wanted JOIN payment p ON p.id = wanted.id ORDER BY p.id
  `.execute(db);
  return result.rows.map(({ returns, ...payment }) => ({
    ...payment,
    returns: (returns ?? []).map(({ kind, id, amount, at }) => ({
      kind,
      id,
      amountToman: BigInt(amount),
      at: new Date(at),
    })),
  }));
}

import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import type { PaymentState } from './rules.ts';

/** The only file that names `payment`. */
export interface PaymentRow {
  readonly id: string;
  readonly user_id: string;
  readonly gateway: GatewayName;
  readonly amount_toman: bigint;
  readonly state: PaymentState;
  readonly gateway_reference: string | null;
  readonly ref_id: string | null;
  readonly card_mask: string | null;
  readonly payment_url: string | null;
  readonly checks: number;
  readonly next_check_at: Date | null;
  readonly created_at: Date;
  readonly settled_at: Date | null;
  /**
   * How often the operator has closed it, counted from its evidence; twice if the bank reported money after the first
   * time.
   */
  readonly verdicts: number;
}

export const paymentColumns = sql.raw(`
  id, user_id, gateway, amount_toman, state, gateway_reference, ref_id, card_mask, payment_url, checks, next_check_at, created_at, settled_at,
  (evidence -> 'review' IS NOT NULL)::integer + (evidence #> '{bank,before,review}' IS NOT NULL)::integer AS verdicts
`);

export async function insertPayment(
  tx: Tx,
  payment: { id: string; userId: string; gateway: GatewayName; amountToman: number; nextCheckAt: Date | undefined },
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO payment (id, user_id, gateway, amount_toman, state, next_check_at, created_at)
    VALUES (${payment.id}, ${payment.userId}, ${payment.gateway}, ${payment.amountToman}, 'created', ${payment.nextCheckAt ?? null}, ${now})
  `.execute(tx);
}

export async function selectPayment(db: Executor, id: string): Promise<PaymentRow | undefined> {
  return (await sql<PaymentRow>`SELECT ${paymentColumns} FROM payment WHERE id = ${id}`.execute(db)).rows[0];
}

/** Payments since an id: ids begin with their instant. */
export async function selectRecentPayments(
  db: Executor,
  sinceId: string,
): Promise<{ readonly started: number; readonly completed: number }> {
  const { rows } = await sql<{ started: number; completed: number }>`
    SELECT count(*)::integer AS started, count(*) FILTER (WHERE state = 'completed')::integer AS completed
    FROM payment WHERE id >= ${sinceId}
  `.execute(db);
  return rows[0] ?? { started: 0, completed: 0 };
}

export async function selectReviewCount(db: Executor): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM payment WHERE state = 'needs_review'
  `.execute(db);
  return rows[0]?.count ?? 0;
}

export async function selectPayments(db: Executor, ids: readonly string[]): Promise<PaymentRow[]> {
  return (await sql<PaymentRow>`SELECT ${paymentColumns} FROM payment WHERE id = ANY (${ids}::uuid[])`.execute(db))
    .rows;
}

export type LastCharge = Pick<PaymentRow, 'gateway' | 'amount_toman'>;

/** The user's payment that was credited last, of the newest ones, for the SQL of another module. */
export function lastChargeOf(userId: string): RawBuilder<unknown> {
  return sql`(
    SELECT gateway, amount_toman FROM (
      SELECT gateway, amount_toman, state, created_at FROM payment WHERE user_id = ${userId}
      ORDER BY created_at DESC LIMIT ${sql.lit(NEWEST)}
    ) p WHERE state = 'completed' ORDER BY created_at DESC LIMIT 1)`;
}

export async function selectLastCharge(db: Executor, userId: string): Promise<LastCharge | undefined> {
  return (await sql<LastCharge>`SELECT * FROM ${lastChargeOf(userId)} p`.execute(db)).rows[0];
}

/** A user who tried so often without paying is not asked to do the same again. */
const NEWEST = 20;

export async function selectPaymentByGatewayReference(
  db: Executor,
  gateway: GatewayName,
  gatewayReference: string,
): Promise<PaymentRow | undefined> {
  const result = await sql<PaymentRow>`
    SELECT ${paymentColumns} FROM payment WHERE gateway = ${gateway} AND gateway_reference = ${gatewayReference}
  `.execute(db);
  return result.rows[0];
}

/** The payment of the same gateway to which a reference is credited. */
export async function selectPaymentByReference(
  db: Executor,
  paymentId: string,
  refId: string,
): Promise<string | undefined> {
  const result = await sql<{ id: string }>`
    SELECT id FROM payment WHERE gateway = (SELECT gateway FROM payment WHERE id = ${paymentId}) AND ref_id = ${refId}
  `.execute(db);
  return result.rows[0]?.id;
}

export async function lockPayment(tx: Tx, id: string): Promise<PaymentRow | undefined> {
  return (await sql<PaymentRow>`SELECT ${paymentColumns} FROM payment WHERE id = ${id} FOR NO KEY UPDATE`.execute(tx))
    .rows[0];
}

/** Stores the gateway's answer to the start; only the first answer counts. */
export async function updateStarted(
  db: Executor,
  id: string,
  gatewayReference: string,
  paymentUrl: string,
): Promise<void> {
  await sql`
    UPDATE payment SET state = CASE state WHEN 'created' THEN 'redirected' ELSE state END,
      gateway_reference = ${gatewayReference}, payment_url = ${paymentUrl}
    WHERE id = ${id} AND gateway_reference IS NULL AND state IN ('created', 'cancelled')
  `.execute(db);
}

/**
 * Closes an open payment, or puts a closed one before the operator. If somebody may still have paid, checks go on until
 * the last one. The operator's earlier verdict stays readable beside the bank's answer.
 */
export async function updateClosed(
  db: Executor,
  id: string,
  closed: {
    state: 'failed' | 'cancelled' | 'needs_review';
    failure: string | null;
    evidence: unknown;
    nextCheckAt: Date | undefined;
  },
  now: Date,
): Promise<void> {
  const evidence = closed.evidence === undefined ? null : JSON.stringify(closed.evidence);
  await sql`
    UPDATE payment SET state = ${closed.state}, failure = ${closed.failure}, settled_at = ${now},
      next_check_at = ${closed.nextCheckAt ?? null},
      evidence = CASE WHEN evidence -> 'review' IS NULL THEN ${evidence}::jsonb
        ELSE jsonb_build_object('bank', ${evidence}::jsonb, 'before', evidence) END
    WHERE id = ${id} AND (state IN ('created', 'redirected')
      OR (state IN ('failed', 'cancelled') AND ${closed.state === 'needs_review'}))
  `.execute(db);
}

export async function updateCompleted(
  tx: Tx,
  id: string,
  completed: { refId: string; cardMask: string | undefined; evidence: unknown; nextCheckAt: Date | undefined },
  now: Date,
): Promise<void> {
  await sql`
    UPDATE payment SET state = 'completed', ref_id = ${completed.refId}, card_mask = ${completed.cardMask ?? null},
      evidence = ${JSON.stringify(completed.evidence)}::jsonb, settled_at = ${now},
      next_check_at = ${completed.nextCheckAt ?? null}, failure = NULL
    WHERE id = ${id}
  `.execute(tx);
}

/**
 * Whether the operator has to review a payment: the bank's answer does not fit, or the bank never answered and will not
 * be asked again. A late answer still settles the latter.
 */
export const needsOperator = sql.raw(`
  (state = 'needs_review' OR (state IN ('created', 'redirected') AND gateway_reference IS NOT NULL AND next_check_at IS NULL))
`);

/** Payments that the operator has to review, with the banks' answers, oldest first. */
export async function selectPaymentsToReview(db: Executor): Promise<(PaymentRow & { readonly evidence: unknown })[]> {
  const result = await sql<PaymentRow & { evidence: unknown }>`
    SELECT ${paymentColumns}, evidence FROM payment WHERE ${needsOperator} ORDER BY created_at, id
  `.execute(db);
  return result.rows;
}

export async function isWaiting(db: Executor, id: string): Promise<boolean> {
  return (await sql`SELECT FROM payment WHERE id = ${id} AND ${needsOperator}`.execute(db)).rows.length > 0;
}

/** Stores the operator's verdict beside the bank's answer; false if the payment is not waiting for review. */
export async function updateReviewed(
  tx: Tx,
  id: string,
  reviewed: {
    state: 'completed' | 'failed';
    refId: string | undefined;
    review: { by: string; note: string; limitToman?: number; proposal?: string | undefined };
    nextCheckAt: Date | undefined;
  },
  now: Date,
): Promise<boolean> {
  const result = await sql`
    UPDATE payment SET state = ${reviewed.state}, ref_id = coalesce(${reviewed.refId ?? null}, ref_id), settled_at = ${now},
      next_check_at = ${reviewed.nextCheckAt ?? null},
      evidence = jsonb_build_object('bank', evidence, 'review', ${JSON.stringify(reviewed.review)}::jsonb)
    WHERE id = ${id} AND ${needsOperator}
  `.execute(tx);
  return result.numAffectedRows === 1n;
}

/** A gateway's payments that are due, each taken by one worker. Their next check is scheduled before any bank is asked. */
export async function takeDuePayments(tx: Tx, gateway: GatewayName, now: Date, limit: number): Promise<PaymentRow[]> {
  const result = await sql<PaymentRow>`
    SELECT ${paymentColumns} FROM payment WHERE gateway = ${gateway} AND next_check_at <= ${now}
    ORDER BY next_check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
  `.execute(tx);
  return result.rows;
}

export async function updateNextCheck(tx: Tx, id: string, checks: number, at: Date | undefined): Promise<void> {
  await sql`UPDATE payment SET checks = ${checks}, next_check_at = ${at ?? null} WHERE id = ${id}`.execute(tx);
}

import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import type { RefundState } from './rules.ts';

/** The only file that names `refund`. */
export interface RefundRow {
  readonly id: string;
  readonly payment_id: string;
  readonly user_id: string;
  readonly gateway: GatewayName;
  readonly amount_toman: bigint;
  readonly route: 'gateway' | 'hand';
  readonly state: RefundState;
  readonly reason: string;
  readonly tracking: string | null;
  readonly failure: string | null;
  readonly checks: number;
  readonly created_at: Date;
  readonly sent_at: Date | null;
  /** Since when it is no longer sent again automatically. */
  readonly unrepeatable_call_at: Date | null;
  readonly settled_at: Date | null;
}

const columns = sql.raw(
  'id, payment_id, user_id, gateway, amount_toman, route, state, reason, tracking, failure, checks, created_at, sent_at, unrepeatable_call_at, settled_at',
);

export async function insertRefund(
  tx: Tx,
  refund: {
    id: string;
    paymentId: string;
    userId: string;
    gateway: GatewayName;
    amountToman: bigint;
    reason: string;
    nextCheckAt: Date;
  },
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO refund (id, payment_id, user_id, gateway, amount_toman, route, state, reason, next_check_at, created_at)
    VALUES (${refund.id}, ${refund.paymentId}, ${refund.userId}, ${refund.gateway}, ${refund.amountToman}, 'gateway',
      'requested', ${refund.reason}, ${refund.nextCheckAt}, ${now})
  `.execute(tx);
}

export async function lockRefund(tx: Tx, id: string): Promise<RefundRow | undefined> {
  return (await sql<RefundRow>`SELECT ${columns} FROM refund WHERE id = ${id} FOR NO KEY UPDATE`.execute(tx)).rows[0];
}

/**
 * Locks a refund about which the gateway was asked, if it is unchanged since then: neither sent again nor taken over by
 * the operator. Undefined otherwise: an answer about an earlier state no longer applies.
 */
export async function lockRefundAsSeen(
  tx: Tx,
  seen: Pick<RefundRow, 'id' | 'state' | 'checks'>,
): Promise<RefundRow | undefined> {
  const row = await lockRefund(tx, seen.id);
  const isSame = row?.route === 'gateway' && row.state === seen.state && row.checks === seen.checks;
  return isSame && (row.state === 'sent' || row.state === 'unknown') ? row : undefined;
}

/** The refund of each payment that has one: the open one, else the newest. */
export async function selectLatestRefunds(
  db: Executor,
  paymentIds: readonly string[],
): Promise<Map<string, RefundRow>> {
  const result = await sql<RefundRow>`
    SELECT DISTINCT ON (payment_id) ${columns} FROM refund WHERE payment_id = ANY (${paymentIds}::uuid[])
    ORDER BY payment_id, (state <> 'failed') DESC, created_at DESC, id DESC
  `.execute(db);
  return new Map(result.rows.map((row) => [row.payment_id, row]));
}

/** How many refunds may have been sent or not, and how many the operator has to send. */
export async function selectOpenRefunds(db: Executor): Promise<{ readonly unknown: number; readonly byHand: number }> {
  const { rows } = await sql<{ unknown: number; by_hand: number }>`
    SELECT count(*) FILTER (WHERE state = 'unknown')::integer AS unknown,
      count(*) FILTER (WHERE state <> 'unknown' AND route = 'hand')::integer AS by_hand
    FROM refund WHERE state IN ('requested', 'sent', 'unknown')
  `.execute(db);
  return { unknown: rows[0]?.unknown ?? 0, byHand: rows[0]?.by_hand ?? 0 };
}

/** Refunds that the operator has to send or look into, oldest first. */
export async function selectRefundQueue(db: Executor): Promise<RefundRow[]> {
  const result = await sql<RefundRow>`
    SELECT ${columns} FROM refund WHERE state = 'unknown' OR (route = 'hand' AND state IN ('requested', 'sent'))
    ORDER BY created_at, id
  `.execute(db);
  return result.rows;
}

/** The same, at most so many: open refunds are few, and found by their index. */
export async function selectWaitingRefunds(db: Executor, limit: number): Promise<RefundRow[]> {
  const { rows } = await sql<RefundRow>`
    SELECT ${columns} FROM refund
    WHERE state IN ('requested', 'sent', 'unknown') AND (state = 'unknown' OR route = 'hand') ORDER BY id LIMIT ${limit}
  `.execute(db);
  return rows;
}

/** What arrived at payers from `from` on and before `to`. */
export async function sumConfirmed(db: Executor, from: Date, to: Date): Promise<bigint> {
  const { rows } = await sql<{ refunded: bigint }>`
    SELECT coalesce(sum(amount_toman), 0)::bigint AS refunded FROM refund
    WHERE settled_at >= ${from} AND settled_at < ${to} AND state = 'confirmed'
  `.execute(db);
  return rows[0]?.refunded ?? 0n;
}

export async function selectRefundsOf(db: Executor, paymentId: string): Promise<RefundRow[]> {
  const { rows } = await sql<RefundRow>`
    SELECT ${columns} FROM refund WHERE payment_id = ${paymentId} ORDER BY created_at, id
  `.execute(db);
  return rows;
}

export async function updateRefund(
  tx: Tx,
  id: string,
  change: {
    state: RefundState;
    route: 'gateway' | 'hand';
    tracking?: string | undefined;
    failure?: string | undefined;
    operator?: string | undefined;
    evidence?: unknown;
    nextCheckAt?: Date | undefined;
    checks?: number;
  },
  now: Date,
): Promise<void> {
  const settled = change.state === 'confirmed' || change.state === 'failed';
  await sql`
    UPDATE refund SET state = ${change.state}, route = ${change.route},
      tracking = coalesce(${change.tracking ?? null}, tracking), failure = ${change.failure ?? null},
      operator = coalesce(${change.operator ?? null}, operator),
      evidence = coalesce(${change.evidence === undefined ? null : JSON.stringify(change.evidence)}::jsonb, evidence),
      next_check_at = ${change.nextCheckAt ?? null}, checks = coalesce(${change.checks ?? null}::integer, checks),
      sent_at = CASE WHEN ${change.state === 'sent'} THEN ${now}::timestamptz
        WHEN ${change.state === 'confirmed'} THEN coalesce(sent_at, ${now}::timestamptz) ELSE sent_at END,
      settled_at = ${settled ? now : null}::timestamptz
    WHERE id = ${id}
  `.execute(tx);
}

export async function markUnrepeatable(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`UPDATE refund SET unrepeatable_call_at = ${now} WHERE id = ${id}`.execute(tx);
}

/** A refund on its way at the bank: schedules the next check. */
export async function updateRefundCheck(
  tx: Tx,
  id: string,
  look: { tracking: string; evidence: unknown; checks: number; nextCheckAt: Date },
): Promise<void> {
  await sql`
    UPDATE refund SET tracking = ${look.tracking}, checks = ${look.checks}, next_check_at = ${look.nextCheckAt},
      evidence = coalesce(${look.evidence === undefined ? null : JSON.stringify(look.evidence)}::jsonb, evidence)
    WHERE id = ${id} AND state = 'sent'
  `.execute(tx);
}

/** A gateway's refunds that are due. Their next check is scheduled before any gateway is asked. */
export async function takeDueRefunds(
  tx: Tx,
  gateway: GatewayName,
  now: Date,
  limit: number,
  next: Date,
): Promise<RefundRow[]> {
  const result = await sql<RefundRow>`
    WITH due AS (
      SELECT id FROM refund WHERE gateway = ${gateway} AND next_check_at <= ${now} ORDER BY next_check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE refund SET next_check_at = ${next} WHERE id IN (SELECT id FROM due) RETURNING ${columns}
  `.execute(tx);
  return result.rows;
}

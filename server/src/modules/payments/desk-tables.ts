import type { PaymentGroup } from '@raha/contract/admin/payments.ts';
import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import type { PaymentState } from './rules.ts';
import { needsOperator, type PaymentRow, paymentColumns } from './tables.ts';

/** Payments as the console lists them. */

export type DeskPayment = PaymentRow & { readonly waits: boolean };

/** Ids begin with their instant: `from` is the first that counts, `before` the first that does not. */
export interface PaymentPage {
  readonly group?: PaymentGroup | undefined;
  readonly gateway?: GatewayName | undefined;
  readonly from: string;
  readonly before: string;
  readonly limit: number;
}

const statesOf: Readonly<Record<Exclude<PaymentGroup, 'waiting'>, readonly PaymentState[]>> = {
  open: ['created', 'redirected'],
  completed: ['completed'],
  failed: ['failed'],
  cancelled: ['cancelled'],
};
const allStates = [...Object.values(statesOf).flat(), 'needs_review'];

/** Newest first. However many payments there are, it reads as many as a page has, for each state and gateway asked for. */
export async function selectPaymentPage(db: Executor, page: PaymentPage): Promise<DeskPayment[]> {
  const { group, gateway, from, before, limit } = page;
  const columns = sql`${paymentColumns}, ${needsOperator} AS waits`;
  const span = sql`id >= ${from} AND id < ${before}`;
  if (group === 'waiting' || (group === undefined && gateway === undefined)) {
    const waiting = group === 'waiting' ? sql`AND ${needsOperator}` : sql``;
    const ofGateway = gateway === undefined ? sql`` : sql`AND gateway = ${gateway}`;
    const { rows } = await sql<DeskPayment>`
      SELECT ${columns} FROM payment WHERE ${span} ${waiting} ${ofGateway} ORDER BY id DESC LIMIT ${limit}
    `.execute(db);
    return rows;
  }
  const gateways = gateway === undefined ? [...paymentGateways] : [gateway];
  const states = group === undefined ? allStates : [...statesOf[group]];
  const { rows } = await sql<DeskPayment>`
    SELECT p.* FROM unnest(${gateways}::text[]) g (gateway) CROSS JOIN unnest(${states}::text[]) s (state)
    CROSS JOIN LATERAL (
      SELECT ${columns} FROM payment WHERE gateway = g.gateway AND state = s.state AND ${span}
      ORDER BY id DESC LIMIT ${limit}
    ) p ORDER BY p.id DESC LIMIT ${limit}
  `.execute(db);
  return rows;
}

/** A payment, whether it waits, and what the bank and operators have left with it. */
export async function selectDeskPayment(
  db: Executor,
  id: string,
): Promise<(DeskPayment & { readonly evidence: unknown }) | undefined> {
  const { rows } = await sql<DeskPayment & { evidence: unknown }>`
    SELECT ${paymentColumns}, evidence, ${needsOperator} AS waits FROM payment WHERE id = ${id}
  `.execute(db);
  return rows[0];
}

export async function selectWaitingCount(db: Executor): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM payment WHERE ${needsOperator}
  `.execute(db);
  return rows[0]?.count ?? 0;
}

export async function selectOldestWaiting(db: Executor, limit: number): Promise<DeskPayment[]> {
  const { rows } = await sql<DeskPayment>`
    SELECT ${paymentColumns}, true AS waits FROM payment WHERE ${needsOperator} ORDER BY id LIMIT ${limit}
  `.execute(db);
  return rows;
}

/** What was credited from `from` on and before `to`. */
export async function sumCredited(
  db: Executor,
  from: Date,
  to: Date,
): Promise<{ readonly payments: number; readonly credited: bigint }> {
  const { rows } = await sql<{ payments: number; credited: bigint }>`
    SELECT count(*)::integer AS payments, coalesce(sum(amount_toman), 0)::bigint AS credited FROM payment
    WHERE gateway = ANY (${[...paymentGateways]}::text[]) AND state = 'completed' AND settled_at >= ${from} AND settled_at < ${to}
  `.execute(db);
  return rows[0] ?? { payments: 0, credited: 0n };
}

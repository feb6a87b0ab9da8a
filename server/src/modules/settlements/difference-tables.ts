import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import type { DifferenceKind, Item } from './rules.ts';

/** The only file that names `settlement_difference`. */
export interface NewDifference {
  readonly id: string;
  readonly kind: DifferenceKind;
  readonly lineId: string | undefined;
  readonly item: Pick<Item, 'kind' | 'id'> | undefined;
  readonly paymentId: string | undefined;
  /** Of the line, or of our movement; absent if unreadable. */
  readonly amountToman: bigint | undefined;
}

/**
 * Lists differences. One that is listed already keeps its id, and takes on a new kind if it is open; one that was solved opens
 * again; what an operator resolved stays so.
 */
export async function listDifferences(
  tx: Tx,
  gateway: GatewayName,
  list: readonly NewDifference[],
  now: Date,
): Promise<void> {
  const ofLines = list.filter(({ lineId }) => lineId !== undefined);
  const ofItems = list.filter(({ lineId }) => lineId === undefined);
  if (ofLines.length > 0) await upsert(tx, gateway, ofLines, now, 'line_id');
  if (ofItems.length > 0) await upsert(tx, gateway, ofItems, now, 'item_kind, item_id');
}

async function upsert(
  tx: Tx,
  gateway: GatewayName,
  list: readonly NewDifference[],
  now: Date,
  subject: 'line_id' | 'item_kind, item_id',
): Promise<void> {
  await sql`
    INSERT INTO settlement_difference AS d (id, gateway, kind, line_id, item_kind, item_id, payment_id, amount_toman, opened_at)
    SELECT id, ${gateway}, kind, line_id, item_kind, item_id, payment_id, amount_toman, ${now}
    FROM unnest(${list.map(({ id }) => id)}::uuid[], ${list.map(({ kind }) => kind)}::text[],
      ${list.map(({ lineId }) => lineId ?? null)}::uuid[], ${list.map(({ item }) => item?.kind ?? null)}::text[],
      ${list.map(({ item }) => item?.id ?? null)}::uuid[], ${list.map(({ paymentId }) => paymentId ?? null)}::uuid[],
      ${list.map(({ amountToman }) => (amountToman === undefined ? null : String(amountToman)))}::bigint[])
      AS i (id, kind, line_id, item_kind, item_id, payment_id, amount_toman)
    ON CONFLICT (${sql.raw(subject)}) DO UPDATE SET kind = excluded.kind, payment_id = excluded.payment_id,
      amount_toman = excluded.amount_toman, state = 'open', closed_at = NULL, solved_by = NULL,
      opened_at = CASE d.state WHEN 'open' THEN d.opened_at ELSE excluded.opened_at END
    WHERE d.state <> 'resolved'
  `.execute(tx);
}

export type KnownDifference = Pick<
  DifferenceRow,
  'id' | 'kind' | 'state' | 'line_id' | 'item_kind' | 'item_id' | 'payment_id'
>;

/** Open differences, and those that were resolved without a booking: such a line may still find its payment. */
export async function selectKnown(tx: Tx, gateway: GatewayName): Promise<KnownDifference[]> {
  const { rows } = await sql<KnownDifference>`
    SELECT id, kind, state, line_id, item_kind, item_id, payment_id FROM settlement_difference
    WHERE gateway = ${gateway} AND (state = 'open' OR (state = 'resolved' AND booking_id IS NULL))
  `.execute(tx);
  return rows;
}

/** Closes open differences that are none any more. */
export async function closeSolved(tx: Tx, ids: readonly string[], solvedBy: string, now: Date): Promise<void> {
  await sql`
    UPDATE settlement_difference SET state = 'solved', closed_at = ${now}, solved_by = ${solvedBy}
    WHERE id = ANY (${ids}::uuid[]) AND state = 'open'
  `.execute(tx);
}

export interface DifferenceRow {
  readonly id: string;
  readonly gateway: GatewayName;
  readonly kind: DifferenceKind;
  readonly state: 'open' | 'solved' | 'resolved';
  readonly line_id: string | null;
  readonly item_kind: Item['kind'] | null;
  readonly item_id: string | null;
  readonly payment_id: string | null;
  readonly amount_toman: bigint | null;
  readonly opened_at: Date;
  readonly closed_at: Date | null;
  readonly solved_by: string | null;
  readonly reason: string | null;
  readonly operator: string | null;
}

const columns = sql.raw(`id, gateway, kind, state, line_id, item_kind, item_id, payment_id, amount_toman, opened_at,
  closed_at, solved_by, reason, operator`);

export async function selectDifference(db: Executor, id: string): Promise<DifferenceRow | undefined> {
  const { rows } = await sql<DifferenceRow>`SELECT ${columns} FROM settlement_difference WHERE id = ${id}`.execute(db);
  return rows[0];
}

/** Of each gateway, how many are open. */
export async function countOpenDifferences(
  db: Executor,
): Promise<{ readonly gateway: string; readonly count: number }[]> {
  const { rows } = await sql<{ gateway: string; count: number }>`
    SELECT gateway, count(*)::integer AS count FROM settlement_difference WHERE state = 'open' GROUP BY gateway ORDER BY gateway
  `.execute(db);
  return rows;
}

export interface WhichDifferences {
  readonly gateway: GatewayName | undefined;
  readonly all: boolean;
  /** The next ones after this id, at most `limit` of them, by id. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** Differences by id, which is the order in which they were first listed; without `all` only the open ones. */
export async function selectDifferences(
  db: Executor,
  { gateway, all, after, limit }: WhichDifferences,
): Promise<DifferenceRow[]> {
  const of = gateway === undefined ? sql`` : sql`AND gateway = ${gateway}`;
  const state = all ? sql`` : sql`AND state = 'open'`;
  const { rows } = await sql<DifferenceRow>`
    SELECT ${columns} FROM settlement_difference
    WHERE id > ${after ?? '00000000-0000-0000-0000-000000000000'} ${of} ${state}
    ORDER BY id LIMIT ${limit ?? null}::integer
  `.execute(db);
  return rows;
}

export async function updateResolved(
  tx: Tx,
  id: string,
  given: {
    readonly reason: string;
    readonly operator: string;
    readonly actor: string;
    readonly bookingId: string | undefined;
  },
  now: Date,
): Promise<void> {
  await sql`
    UPDATE settlement_difference SET state = 'resolved', closed_at = ${now}, reason = ${given.reason},
      operator = ${given.operator}, actor = ${given.actor}, booking_id = ${given.bookingId ?? null}
    WHERE id = ${id} AND state = 'open'
  `.execute(tx);
}

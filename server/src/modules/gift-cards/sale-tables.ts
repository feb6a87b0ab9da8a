import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** gift_card_sale, gift_card_payment, and what sold cards have in gift_card. */
export interface CardSale {
  readonly batchId: string;
  readonly buyer: string;
  readonly toman: bigint;
  readonly reason: string;
  readonly operator: string;
}

/** False if the batch is sold already. */
export async function insertSale(tx: Tx, sale: CardSale, now: Date): Promise<boolean> {
  const result = await sql`
    INSERT INTO gift_card_sale (batch_id, buyer, toman, reason, operator, created_at)
    VALUES (${sale.batchId}, ${sale.buyer}, ${sale.toman}, ${sale.reason}, ${sale.operator}, ${now})
    ON CONFLICT DO NOTHING
  `.execute(tx);
  return (result.numAffectedRows ?? 0n) > 0n;
}

/**
 * Divides the price among the cards of the batch that can still be redeemed, to the toman; all have the same face value.
 * Returns how many there are.
 */
export async function divideAmongCards(tx: Tx, batchId: string, toman: bigint, now: Date): Promise<number> {
  await lockCards(tx, { batchId });
  const result = await sql`
    UPDATE gift_card c SET sold_toman = div(${toman}::numeric * i.place, i.cards) - div(${toman}::numeric * (i.place - 1), i.cards)
    FROM (
      SELECT id, row_number() OVER (ORDER BY id) AS place, count(*) OVER () AS cards FROM gift_card
      WHERE batch_id = ${batchId} AND status = 'active' AND (expires_at IS NULL OR expires_at > ${now})
    ) i WHERE c.id = i.id
  `.execute(tx);
  return Number(result.numAffectedRows ?? 0n);
}

/** What a sale's buyer still owes, locked; undefined: the batch was not sold. */
export async function lockOwed(tx: Tx, batchId: string): Promise<bigint | undefined> {
  const sale = await sql<{ toman: bigint }>`
    SELECT toman FROM gift_card_sale WHERE batch_id = ${batchId} FOR UPDATE
  `.execute(tx);
  if (!sale.rows[0]) return undefined;
  const paid = await sql<{ toman: bigint }>`
    SELECT coalesce(sum(toman), 0)::bigint AS toman FROM gift_card_payment WHERE batch_id = ${batchId}
  `.execute(tx);
  return sale.rows[0].toman - (paid.rows[0]?.toman ?? 0n);
}

export interface CardPayment {
  readonly id: string;
  readonly batchId: string;
  readonly kind: 'paid' | 'written_off';
  readonly toman: bigint;
  readonly reason: string;
  readonly operator: string;
}

export async function insertCardPayment(tx: Tx, payment: CardPayment, now: Date): Promise<void> {
  const { id, batchId, kind, toman, reason, operator } = payment;
  await sql`
    INSERT INTO gift_card_payment (id, batch_id, kind, toman, reason, operator, created_at)
    VALUES (${id}, ${batchId}, ${kind}, ${toman}, ${reason}, ${operator}, ${now})
  `.execute(tx);
}

type Which = { readonly batchId: string } | { readonly cardId: string };

function chosen(which: Which) {
  return 'cardId' in which ? sql`id = ${which.cardId}` : sql`batch_id = ${which.batchId}`;
}

/** So that none of them is sold or redeemed meanwhile. */
async function lockCards(tx: Tx, which: Which): Promise<void> {
  await sql`SELECT FROM gift_card WHERE ${chosen(which)} ORDER BY id FOR UPDATE`.execute(tx);
}

/** Sold cards that are about to be void: marks them as broken and returns what they were sold for. */
export async function breakChosen(tx: Tx, which: Which, now: Date): Promise<bigint> {
  await lockCards(tx, which);
  const result = await sql<{ toman: bigint }>`
    WITH broken AS (
      UPDATE gift_card SET broken_at = ${now}
      WHERE ${chosen(which)} AND status = 'active' AND sold_toman IS NOT NULL AND broken_at IS NULL RETURNING sold_toman
    )
    SELECT coalesce(sum(sold_toman), 0)::bigint AS toman FROM broken
  `.execute(tx);
  return result.rows[0]?.toman ?? 0n;
}

/** Sold cards whose end has passed: marks them as broken, and returns what they were sold for by the Tehran day of their end. */
export async function breakExpired(tx: Tx, now: Date): Promise<{ day: string; toman: bigint }[]> {
  const result = await sql<{ day: string; toman: bigint }>`
    WITH broken AS (
      UPDATE gift_card SET broken_at = ${now}
      WHERE status = 'active' AND sold_toman IS NOT NULL AND broken_at IS NULL AND expires_at <= ${now}
      RETURNING sold_toman, (expires_at AT TIME ZONE 'Asia/Tehran')::date AS day
    )
    SELECT to_char(day, 'YYYY-MM-DD') AS day, sum(sold_toman)::bigint AS toman FROM broken GROUP BY day ORDER BY day
  `.execute(tx);
  return result.rows;
}

/** Expired cards of a batch that got a later end: they are no longer broken. Returns what they were sold for. */
export async function mendExtended(tx: Tx, batchId: string, now: Date): Promise<bigint> {
  const result = await sql<{ toman: bigint }>`
    WITH mended AS (
      UPDATE gift_card SET broken_at = NULL
      WHERE batch_id = ${batchId} AND status = 'active' AND broken_at IS NOT NULL AND expires_at > ${now} RETURNING sold_toman
    )
    SELECT coalesce(sum(sold_toman), 0)::bigint AS toman FROM mended
  `.execute(tx);
  return result.rows[0]?.toman ?? 0n;
}

export interface SaleRow {
  readonly batch: string;
  readonly buyer: string;
  readonly sold_at: Date;
  readonly toman: bigint;
  readonly paid: bigint;
  readonly written_off: bigint;
  readonly owed: bigint;
  readonly cards: bigint;
  readonly redeemed: bigint;
  /** What the redeemed ones were sold for, and what their users got. */
  readonly redeemed_at_sale: bigint;
  readonly redeemed_toman: bigint;
  readonly broken: bigint;
  readonly broken_toman: bigint;
  /** What the cards that may still be redeemed were sold for. */
  readonly liability: bigint;
}

/** Every batch that was sold, by the time of its sale. */
export async function selectSales(db: Executor): Promise<SaleRow[]> {
  const result = await sql<SaleRow>`
    SELECT s.batch_id AS batch, s.buyer, s.created_at AS sold_at, s.toman, p.paid, p.written_off,
      s.toman - p.paid - p.written_off AS owed, c.*
    FROM gift_card_sale s
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(toman) FILTER (WHERE kind = 'paid'), 0)::bigint AS paid,
        coalesce(sum(toman) FILTER (WHERE kind = 'written_off'), 0)::bigint AS written_off
      FROM gift_card_payment WHERE batch_id = s.batch_id
    ) p
    CROSS JOIN LATERAL (
      SELECT count(*) AS cards, count(*) FILTER (WHERE status = 'redeemed') AS redeemed,
        coalesce(sum(sold_toman) FILTER (WHERE status = 'redeemed'), 0)::bigint AS redeemed_at_sale,
        coalesce(sum(credited_toman), 0)::bigint AS redeemed_toman,
        count(broken_at) AS broken, coalesce(sum(sold_toman) FILTER (WHERE broken_at IS NOT NULL), 0)::bigint AS broken_toman,
        coalesce(sum(sold_toman) FILTER (WHERE status = 'active' AND broken_at IS NULL), 0)::bigint AS liability
      FROM gift_card WHERE batch_id = s.batch_id AND sold_toman IS NOT NULL
    ) c
    ORDER BY s.created_at, s.batch_id
  `.execute(db);
  return result.rows;
}

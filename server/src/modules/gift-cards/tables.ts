import { type RawBuilder, sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';

/** gift_card, gift_card_batch and failed_redemption. */

export interface GiftCardRow {
  readonly id: string;
  readonly last4: string;
  readonly face_usd_cents: number;
}

/** What may be redeemed: neither used, void, over, nor booked as over. */
const usable = (now: Date) =>
  sql`status = 'active' AND broken_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})`;

/** By which a member issued a batch: within what one may, which is the limit of its time, or approved by a second one. */
export type Allowed =
  | { readonly aloneUsdCents: bigint; readonly limitUsdCents: bigint }
  | { readonly approvalId: string };

export async function insertBatch(
  tx: Tx,
  batch: { id: string; note: string; codesSealed: string | null; allowed: Allowed | undefined },
  now: Date,
): Promise<void> {
  const { allowed } = batch;
  const alone = allowed && 'aloneUsdCents' in allowed ? allowed : undefined;
  const approvalId = allowed && 'approvalId' in allowed ? allowed.approvalId : null;
  await sql`
    INSERT INTO gift_card_batch (id, note, codes_sealed, created_at, alone_usd_cents, limit_usd_cents, approval_id)
    VALUES (${batch.id}, ${batch.note}, ${batch.codesSealed}, ${now}, ${alone?.aloneUsdCents ?? null},
      ${alone?.limitUsdCents ?? null}, ${approvalId})
  `.execute(tx);
}

/** Members who issue without a second one do so one after another, so that together they stay within the limit. */
export async function lockAlone(tx: Tx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('gift_card_batch'))`.execute(tx);
}

/** What members have issued without a second one since then. */
export async function sumAlone(db: Executor, since: Date): Promise<bigint> {
  const { rows } = await sql<{ sum: bigint }>`
    SELECT coalesce(sum(alone_usd_cents), 0)::bigint AS sum FROM gift_card_batch
    WHERE alone_usd_cents IS NOT NULL AND created_at > ${since}
  `.execute(db);
  return rows[0]?.sum ?? 0n;
}

/** The batches that were issued by approvals, by these. */
export async function selectApproved(
  db: Executor,
  approvalIds: readonly string[],
): Promise<{ readonly id: string; readonly approval_id: string }[]> {
  const { rows } = await sql<{ id: string; approval_id: string }>`
    SELECT id, approval_id FROM gift_card_batch WHERE approval_id = ANY(${approvalIds}::uuid[])
  `.execute(db);
  return rows;
}

export async function insertCards(
  tx: Tx,
  cards: readonly {
    id: string;
    batchId: string;
    codeHmac: Buffer;
    last4: string;
    faceUsdCents: number;
    expiresAt: Date | null;
  }[],
  pepperVersion: number,
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO gift_card (id, batch_id, code_hmac, pepper_version, last4, face_usd_cents, expires_at, created_at)
    SELECT i.id, i.batch, i.hmac, ${pepperVersion}, i.last4, i.cents, i.expires, ${now}
    FROM unnest(
      ${cards.map((card) => card.id)}::uuid[], ${cards.map((card) => card.batchId)}::uuid[],
      ${cards.map((card) => card.codeHmac)}::bytea[], ${cards.map((card) => card.last4)}::text[],
      ${cards.map((card) => card.faceUsdCents)}::int[], ${cards.map((card) => card.expiresAt)}::timestamptz[]
    ) AS i (id, batch, hmac, last4, cents, expires)
  `.execute(tx);
}

export async function selectActiveCard(db: Executor, codeHmac: Buffer, now: Date): Promise<GiftCardRow | undefined> {
  const result = await sql<GiftCardRow>`
    SELECT id, last4, face_usd_cents FROM gift_card
    WHERE code_hmac = ${codeHmac} AND ${usable(now)}
  `.execute(db);
  return result.rows[0];
}

/** The card of a code, if this user can redeem it or has redeemed it. */
export async function selectCardFor(
  db: Executor,
  codeHmac: Buffer,
  userId: string,
  now: Date,
): Promise<GiftCardRow | undefined> {
  const result = await sql<GiftCardRow>`
    SELECT id, last4, face_usd_cents FROM gift_card WHERE code_hmac = ${codeHmac}
      AND (${usable(now)} OR redeemed_by = ${userId})
  `.execute(db);
  return result.rows[0];
}

/** Takes the card if it is still redeemable. Of several concurrent callers, one gets the row. */
export async function redeemCard(
  tx: Tx,
  codeHmac: Buffer,
  redemption: { userId: string; rateToman: number; now: Date },
): Promise<(GiftCardRow & { readonly sold_toman: bigint | null }) | undefined> {
  const result = await sql<GiftCardRow & { readonly sold_toman: bigint | null }>`
    UPDATE gift_card SET status = 'redeemed', redeemed_by = ${redemption.userId}, redeemed_at = ${redemption.now},
      toman_per_usd = ${redemption.rateToman}, credited_toman = face_usd_cents::bigint * ${redemption.rateToman}::bigint / 100
    WHERE code_hmac = ${codeHmac} AND ${usable(redemption.now)}
    RETURNING id, last4, face_usd_cents, sold_toman
  `.execute(tx);
  return result.rows[0];
}

/** Whether this user has already redeemed the code: trying it again is not a guess. */
export async function isOwnRedeemed(db: Executor, codeHmac: Buffer, userId: string): Promise<boolean> {
  const result = await sql<{ own: boolean }>`
    SELECT EXISTS (SELECT FROM gift_card WHERE code_hmac = ${codeHmac} AND redeemed_by = ${userId}) AS own
  `.execute(db);
  return result.rows[0]?.own ?? false;
}

export async function isCardRedeemed(db: Executor, id: string): Promise<boolean> {
  const result = await sql<{ status: string }>`SELECT status FROM gift_card WHERE id = ${id}`.execute(db);
  return result.rows[0]?.status === 'redeemed';
}

export interface RedeemedRow {
  readonly id: string;
  readonly last4: string;
  readonly face_usd_cents: number;
  readonly credited_toman: bigint;
  readonly toman_per_usd: bigint;
  readonly redeemed_at: Date;
}

export async function selectRedeemed(
  db: Executor,
  userId: string,
  page: { number: number; size: number },
): Promise<{ cards: RedeemedRow[]; total: number }> {
  const result = await sql<RedeemedRow & { total: bigint }>`
    SELECT id, last4, face_usd_cents, credited_toman, toman_per_usd, redeemed_at, count(*) OVER () AS total
    FROM gift_card WHERE redeemed_by = ${userId}
    ORDER BY redeemed_at DESC, id DESC LIMIT ${page.size} OFFSET ${(page.number - 1) * page.size}
  `.execute(db);
  return { cards: result.rows, total: Number(result.rows[0]?.total ?? 0n) };
}

export interface BatchRow {
  readonly id: string;
  readonly note: string;
  readonly created_at: Date;
  readonly exported_at: Date | null;
  readonly exportable: boolean;
  readonly cards: bigint;
  readonly active: bigint;
  readonly redeemed: bigint;
  readonly void: bigint;
  readonly expired: bigint;
  readonly face_usd_cents: bigint;
  readonly credited_toman: bigint;
  /** Of those that can still be redeemed. */
  readonly outstanding_usd_cents: bigint;
}

/**
 * Batches with their figures, as `from` chooses them. Each is counted by its own cards, of which it has ten thousand at most; the
 * four states add up to its cards.
 */
export function batchesWithFigures(from: RawBuilder<unknown>, now: Date) {
  const active = sql`status = 'active' AND (expires_at IS NULL OR expires_at > ${now})`;
  return sql<BatchRow>`
    SELECT b.id, b.note, b.created_at, b.exported_at, b.codes_sealed IS NOT NULL AS exportable, c.*
    FROM ${from} b CROSS JOIN LATERAL (
      SELECT count(*) AS cards, count(*) FILTER (WHERE ${active}) AS active,
        count(*) FILTER (WHERE status = 'redeemed') AS redeemed, count(*) FILTER (WHERE status = 'void') AS void,
        count(*) FILTER (WHERE status = 'active' AND expires_at <= ${now}) AS expired,
        coalesce(sum(face_usd_cents), 0) AS face_usd_cents, coalesce(sum(credited_toman), 0)::bigint AS credited_toman,
        coalesce(sum(face_usd_cents) FILTER (WHERE ${active}), 0) AS outstanding_usd_cents
      FROM gift_card WHERE batch_id = b.id
    ) c
  `;
}

export async function selectBatches(db: Executor, now: Date): Promise<BatchRow[]> {
  const all = batchesWithFigures(sql`gift_card_batch`, now);
  return (await sql<BatchRow>`${all} ORDER BY b.created_at, b.id`.execute(db)).rows;
}

export interface CardRow {
  readonly id: string;
  readonly last4: string;
  readonly status: 'active' | 'redeemed' | 'void' | 'expired';
  readonly face_usd_cents: number;
  readonly expires_at: Date | null;
  readonly redeemed_at: Date | null;
  readonly credited_toman: bigint | null;
}

export async function selectCardsOfBatch(db: Executor, batchId: string, now: Date): Promise<CardRow[]> {
  const result = await sql<CardRow>`
    SELECT id, last4, CASE WHEN status = 'active' AND expires_at <= ${now} THEN 'expired' ELSE status END AS status,
      face_usd_cents, expires_at, redeemed_at, credited_toman
    FROM gift_card WHERE batch_id = ${batchId} ORDER BY id
  `.execute(db);
  return result.rows;
}

export async function selectOutstanding(db: Executor, now: Date): Promise<{ cards: number; usdCents: bigint }> {
  const result = await sql<{ cards: bigint; cents: bigint }>`
    SELECT count(*) AS cards, coalesce(sum(face_usd_cents), 0) AS cents FROM gift_card
    WHERE ${usable(now)}
  `.execute(db);
  return { cards: Number(result.rows[0]?.cards ?? 0n), usdCents: result.rows[0]?.cents ?? 0n };
}

type Which = { readonly batchId: string } | { readonly cardId: string };

function chosen(which: Which) {
  return 'cardId' in which ? sql`id = ${which.cardId}` : sql`batch_id = ${which.batchId}`;
}

/** Undefined: there is no such card or batch. */
export async function selectBatchOf(db: Executor, which: Which): Promise<string | undefined> {
  const result = await sql<{ batch_id: string }>`
    SELECT batch_id FROM gift_card WHERE ${chosen(which)} LIMIT 1
  `.execute(db);
  return result.rows[0]?.batch_id;
}

export async function updateVoid(db: Executor, which: Which, now: Date): Promise<number> {
  const result = await sql`
    UPDATE gift_card SET status = 'void', voided_at = ${now} WHERE status = 'active' AND ${chosen(which)}
  `.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

export async function updateExpiry(db: Executor, batchId: string, at: Date): Promise<number> {
  const result = await sql`
    UPDATE gift_card SET expires_at = ${at} WHERE status = 'active' AND batch_id = ${batchId}
  `.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

export async function lockBatchCodes(tx: Tx, batchId: string): Promise<{ codes_sealed: string | null } | undefined> {
  const result = await sql<{ codes_sealed: string | null }>`
    SELECT codes_sealed FROM gift_card_batch WHERE id = ${batchId} FOR UPDATE
  `.execute(tx);
  return result.rows[0];
}

export async function updateExported(tx: Tx, batchId: string, now: Date): Promise<void> {
  await sql`UPDATE gift_card_batch SET codes_sealed = NULL, exported_at = ${now} WHERE id = ${batchId}`.execute(tx);
}

export async function selectFailures(db: Executor, userId: string, since: Date): Promise<Date[]> {
  const result = await sql<{ at: Date }>`
    SELECT at FROM failed_redemption WHERE user_id = ${userId} AND at > ${since}
  `.execute(db);
  return result.rows.map((row) => row.at);
}

export async function insertFailure(db: Executor, userId: string, now: Date): Promise<void> {
  await sql`INSERT INTO failed_redemption (user_id, at) VALUES (${userId}, ${now})`.execute(db);
}

export async function deleteFailures(db: Executor, before: Date): Promise<void> {
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM failed_redemption WHERE ctid IN (SELECT ctid FROM failed_redemption WHERE at < ${before} LIMIT ${limit})`,
  );
}

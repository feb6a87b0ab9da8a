import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names gift_card, gift_card_batch and the failed tries of gift codes in `attempt`. */

export interface GiftCardRow {
  readonly id: string;
  readonly last4: string;
  readonly face_usd_cents: number;
}

export async function insertBatch(tx: Tx, batch: { id: string; note: string }, now: Date): Promise<void> {
  await sql`INSERT INTO gift_card_batch (id, note, created_at) VALUES (${batch.id}, ${batch.note}, ${now})`.execute(tx);
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
  for (const card of cards) {
    await sql`
      INSERT INTO gift_card (id, batch_id, code_hmac, pepper_version, last4, face_usd_cents, expires_at, created_at)
      VALUES (${card.id}, ${card.batchId}, ${card.codeHmac}, ${pepperVersion}, ${card.last4}, ${card.faceUsdCents}, ${card.expiresAt}, ${now})
    `.execute(tx);
  }
}

export async function selectActiveCard(db: Executor, codeHmac: Buffer, now: Date): Promise<GiftCardRow | undefined> {
  const result = await sql<GiftCardRow>`
    SELECT id, last4, face_usd_cents FROM gift_card
    WHERE code_hmac = ${codeHmac} AND status = 'active' AND (expires_at IS NULL OR expires_at > ${now})
  `.execute(db);
  return result.rows[0];
}

/** Takes the card if it is still to be had: of any number of callers, one gets the row. */
export async function redeemCard(
  tx: Tx,
  codeHmac: Buffer,
  redemption: { userId: string; rateToman: number; now: Date },
): Promise<GiftCardRow | undefined> {
  const result = await sql<GiftCardRow>`
    UPDATE gift_card SET status = 'redeemed', redeemed_by = ${redemption.userId}, redeemed_at = ${redemption.now},
      rate_toman = ${redemption.rateToman}, credited_toman = face_usd_cents::bigint * ${redemption.rateToman}::bigint / 100
    WHERE code_hmac = ${codeHmac} AND status = 'active' AND (expires_at IS NULL OR expires_at > ${redemption.now})
    RETURNING id, last4, face_usd_cents
  `.execute(tx);
  return result.rows[0];
}

export async function selectFailures(db: Executor, userId: string, since: Date): Promise<Date[]> {
  const result = await sql<{ at: Date }>`
    SELECT at FROM attempt WHERE scope = 'gift-card' AND subject = ${userId} AND at > ${since}
  `.execute(db);
  return result.rows.map((row) => row.at);
}

export async function insertFailure(db: Executor, userId: string, now: Date): Promise<void> {
  await sql`INSERT INTO attempt (scope, subject, at) VALUES ('gift-card', ${userId}, ${now})`.execute(db);
}

export async function deleteFailures(db: Executor, before: Date): Promise<void> {
  await sql`DELETE FROM attempt WHERE scope = 'gift-card' AND at < ${before}`.execute(db);
}

import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import { type BatchRow, batchesWithFigures, type CardRow } from './tables.ts';

/** Batches and cards a page at a time, and the card of a code, for the console. Ids of batches begin with their instant. */

export async function selectBatchPage(
  db: Executor,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
  now: Date,
): Promise<BatchRow[]> {
  const older = before === undefined ? sql`` : sql`WHERE id < ${before}`;
  const page = sql`(SELECT * FROM gift_card_batch ${older} ORDER BY id DESC LIMIT ${limit})`;
  return (await sql<BatchRow>`${batchesWithFigures(page, now)} ORDER BY b.id DESC`.execute(db)).rows;
}

export async function selectBatch(db: Executor, id: string, now: Date): Promise<BatchRow | undefined> {
  const one = sql`(SELECT * FROM gift_card_batch WHERE id = ${id})`;
  return (await batchesWithFigures(one, now).execute(db)).rows[0];
}

export interface DeskCard extends CardRow {
  readonly batch_id: string;
  readonly voided_at: Date | null;
}

const card = (now: Date) => sql`
  id, batch_id, last4, CASE WHEN status = 'active' AND expires_at <= ${now} THEN 'expired' ELSE status END AS status,
  face_usd_cents, expires_at, redeemed_at, voided_at, credited_toman
`;

export async function selectCardPage(
  db: Executor,
  { batchId, after, limit }: { readonly batchId: string; readonly after: string | undefined; readonly limit: number },
  now: Date,
): Promise<DeskCard[]> {
  const later = after === undefined ? sql`` : sql`AND id > ${after}`;
  const { rows } = await sql<DeskCard>`
    SELECT ${card(now)} FROM gift_card WHERE batch_id = ${batchId} ${later} ORDER BY id LIMIT ${limit}
  `.execute(db);
  return rows;
}

/** The card of an id, or of the HMAC of a code. */
export async function selectCard(
  db: Executor,
  by: { readonly id: string } | { readonly codeHmac: Buffer },
  now: Date,
): Promise<DeskCard | undefined> {
  const chosen = 'id' in by ? sql`id = ${by.id}` : sql`code_hmac = ${by.codeHmac}`;
  return (await sql<DeskCard>`SELECT ${card(now)} FROM gift_card WHERE ${chosen}`.execute(db)).rows[0];
}

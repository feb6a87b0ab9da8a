import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';

/** The tables wallet_transfer and unknown_recipient. */
export async function insertWalletTransfer(
  tx: Tx,
  transfer: { id: string; fromUserId: string; toUserId: string; amountToman: number; note: string },
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO wallet_transfer (id, from_user_id, to_user_id, amount_toman, note, created_at)
    VALUES (${transfer.id}, ${transfer.fromUserId}, ${transfer.toUserId}, ${transfer.amountToman}, ${transfer.note}, ${now})
  `.execute(tx);
}

/** Sender and recipient of the transfers whose ids lie between two. */
export async function selectPartiesBetween(
  db: Executor,
  [first, last]: readonly [string, string],
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ from_user_id: string; to_user_id: string }>`
    SELECT from_user_id, to_user_id FROM wallet_transfer WHERE id >= ${first} AND id <= ${last} LIMIT ${limit}
  `.execute(db);
  return rows.flatMap(({ from_user_id, to_user_id }) => [from_user_id, to_user_id]);
}

export async function sumTransfersSince(
  db: Executor,
  fromUserId: string,
  since: Date,
): Promise<{ amountToman: bigint; count: number }> {
  const result = await sql<{ amount: bigint; count: bigint }>`
    SELECT coalesce(sum(amount_toman), 0)::bigint AS amount, count(*) AS count
    FROM wallet_transfer WHERE from_user_id = ${fromUserId} AND created_at > ${since}
  `.execute(db);
  const row = result.rows[0];
  return { amountToman: row?.amount ?? 0n, count: Number(row?.count ?? 0n) };
}

/** Whether a user has ever transferred money to another one. */
export async function hasTransferredTo(db: Executor, fromUserId: string, toUserId: string): Promise<boolean> {
  const result = await sql<{ known: boolean }>`
    SELECT EXISTS (
      SELECT FROM wallet_transfer WHERE from_user_id = ${fromUserId} AND to_user_id = ${toUserId}
    ) AS known
  `.execute(db);
  return result.rows[0]?.known === true;
}

export async function countUnknownRecipients(db: Executor, userId: string, since: Date): Promise<number> {
  const result = await sql<{ count: bigint }>`
    SELECT count(*) AS count FROM unknown_recipient WHERE user_id = ${userId} AND at > ${since}
  `.execute(db);
  return Number(result.rows[0]?.count ?? 0n);
}

export async function insertUnknownRecipient(db: Executor, userId: string, now: Date): Promise<void> {
  await sql`INSERT INTO unknown_recipient (user_id, at) VALUES (${userId}, ${now})`.execute(db);
}

export async function deleteUnknownRecipients(db: Executor, before: Date): Promise<void> {
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM unknown_recipient WHERE ctid IN (SELECT ctid FROM unknown_recipient WHERE at < ${before} LIMIT ${limit})`,
  );
}

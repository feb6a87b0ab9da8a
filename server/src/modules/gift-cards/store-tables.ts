import type { WebhookRefusal } from '@raha/contract/admin/gift-cards.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';

/** The only file that names gift_card_redirect, store_webhook and refused_webhook. */
export interface VisitRow {
  readonly id: string;
  readonly user_id: string;
  readonly store: string;
  readonly request_id: string | null;
  /** Null once the account is deleted. */
  readonly redirect_url_sealed: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly paid_at: Date | null;
  readonly card_id: string | null;
  readonly code_sealed: string | null;
}

const columns = sql.raw(
  'id, user_id, store, request_id, redirect_url_sealed, created_at, expires_at, paid_at, card_id, code_sealed',
);

export async function selectVisits(tx: Tx, userId: string, store: string, since: Date): Promise<VisitRow[]> {
  const result = await sql<VisitRow>`
    SELECT ${columns} FROM gift_card_redirect
    WHERE user_id = ${userId} AND store = ${store} AND created_at > ${since} ORDER BY created_at DESC, id DESC
  `.execute(tx);
  return result.rows;
}

export async function insertVisit(
  tx: Tx,
  visit: Pick<VisitRow, 'id' | 'user_id' | 'store' | 'request_id' | 'redirect_url_sealed' | 'expires_at'> & {
    nonce: string;
  },
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO gift_card_redirect (id, user_id, store, nonce, request_id, redirect_url_sealed, created_at, expires_at)
    VALUES (${visit.id}, ${visit.user_id}, ${visit.store}, ${visit.nonce}, ${visit.request_id}, ${visit.redirect_url_sealed}, ${now}, ${visit.expires_at})
  `.execute(tx);
}

/** A user's own visit; someone else's is not found. */
export async function selectOwnVisit(db: Executor, userId: string, id: string): Promise<VisitRow | undefined> {
  const result = await sql<VisitRow>`
    SELECT ${columns} FROM gift_card_redirect WHERE id = ${id} AND user_id = ${userId}
  `.execute(db);
  return result.rows[0];
}

export async function lockVisit(tx: Tx, store: string, id: string): Promise<VisitRow | undefined> {
  const result = await sql<VisitRow>`
    SELECT ${columns} FROM gift_card_redirect WHERE id = ${id} AND store = ${store} FOR UPDATE
  `.execute(tx);
  return result.rows[0];
}

export async function updatePaid(
  tx: Tx,
  id: string,
  paid: { orderId: string; cardId: string | null; codeSealed: string | null },
  now: Date,
): Promise<void> {
  await sql`
    UPDATE gift_card_redirect
    SET paid_at = ${now}, order_id = ${paid.orderId}, card_id = ${paid.cardId}, code_sealed = ${paid.codeSealed}
    WHERE id = ${id}
  `.execute(tx);
}

export interface StoreCounts {
  readonly store: string;
  readonly visits: bigint;
  readonly paid: bigint;
  readonly redeemed: bigint;
  readonly without_card: bigint;
  readonly last_paid_at: Date | null;
}

/** What became of visits from this id on, by store. Ids begin with their instant, so it is a range of the primary key. */
export async function countVisits(db: Executor, from: string): Promise<StoreCounts[]> {
  const { rows } = await sql<StoreCounts>`
    SELECT v.store, count(*) AS visits, count(v.paid_at) AS paid, count(c.redeemed_at) AS redeemed,
      count(v.paid_at) FILTER (WHERE v.card_id IS NULL) AS without_card, max(v.paid_at) AS last_paid_at
    FROM gift_card_redirect v LEFT JOIN gift_card c ON c.id = v.card_id
    WHERE v.id >= ${from} GROUP BY v.store
  `.execute(db);
  return rows;
}

/** False if this webhook was processed before. */
export async function insertWebhook(tx: Tx, store: string, webhookId: string, now: Date): Promise<boolean> {
  const result = await sql`
    INSERT INTO store_webhook (store, webhook_id, received_at) VALUES (${store}, ${webhookId}, ${now})
    ON CONFLICT DO NOTHING
  `.execute(tx);
  return result.numAffectedRows === 1n;
}

/** Counts a webhook that changed nothing: one row for a store, a reason and an hour, however many come. */
export async function countRefusal(db: Executor, store: string, reason: WebhookRefusal, now: Date): Promise<void> {
  await sql`
    INSERT INTO refused_webhook AS r (store, reason, hour, count, last_at)
    VALUES (${store}, ${reason}, date_trunc('hour', ${now}::timestamptz, 'UTC'), 1, ${now})
    ON CONFLICT (store, reason, hour) DO UPDATE SET count = r.count + 1, last_at = greatest(r.last_at, excluded.last_at)
  `.execute(db);
}

export interface RefusalCount {
  readonly store: string;
  readonly reason: WebhookRefusal;
  readonly count: bigint;
  readonly last_at: Date;
}

export async function countRefusals(db: Executor, since: Date): Promise<RefusalCount[]> {
  const { rows } = await sql<RefusalCount>`
    SELECT store, reason, sum(count)::bigint AS count, max(last_at) AS last_at FROM refused_webhook
    WHERE hour >= ${since} GROUP BY store, reason ORDER BY last_at DESC
  `.execute(db);
  return rows;
}

/** Deletes visits without a result, webhooks that no longer count, and codes that are redeemed or expired. */
export async function deleteOldVisits(db: Executor, before: Date): Promise<void> {
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM store_webhook WHERE ctid IN (SELECT ctid FROM store_webhook WHERE received_at < ${before} LIMIT ${limit})`,
  );
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM refused_webhook WHERE ctid IN (SELECT ctid FROM refused_webhook WHERE hour < ${before} LIMIT ${limit} FOR UPDATE)`,
  );
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM gift_card_redirect WHERE ctid IN (SELECT ctid FROM gift_card_redirect WHERE paid_at IS NULL AND created_at < ${before} LIMIT ${limit})`,
  );
  await inBatches(
    db,
    (limit) => sql`
      UPDATE gift_card_redirect SET code_sealed = NULL WHERE ctid IN (
        SELECT ctid FROM gift_card_redirect WHERE code_sealed IS NOT NULL AND paid_at < ${before} LIMIT ${limit} FOR UPDATE)
    `,
  );
}

/** Erases the store addresses of a user, because they contain the e-mail address. */
export async function eraseAddresses(tx: Tx, userId: string): Promise<void> {
  await sql`UPDATE gift_card_redirect SET redirect_url_sealed = NULL WHERE user_id = ${userId}`.execute(tx);
}

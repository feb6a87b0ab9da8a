import type { DeliveryChannel, DeliveryKind, DeliveryReason, DeliveryState } from '@raha/contract/deliveries.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';
import { remainingUser } from '../accounts/users.ts';
import type { Outcome } from './delivery-rules.ts';

/** delivery */

export interface NewDelivery {
  /** The job's. */
  readonly id: string;
  readonly channel: DeliveryChannel;
  readonly kind: DeliveryKind;
  readonly userId: string | undefined;
  readonly notificationId: string | undefined;
  readonly attempts: number;
  readonly outcome: Outcome;
}

/** An attempt, the first or another, in one statement. A user who was erased meanwhile is not named. */
export async function upsertDelivery(db: Executor, delivery: NewDelivery, now: Date): Promise<void> {
  const { outcome } = delivery;
  const [reason, code] = outcome.state === 'sent' ? [null, null] : [outcome.reason, outcome.code ?? null];
  await sql`
    WITH owner AS (${remainingUser(delivery.userId)})
    INSERT INTO delivery (id, user_id, channel, kind, notification_id, state, attempts, reason, code, first_at, at)
    VALUES (${delivery.id}, (SELECT id FROM owner), ${delivery.channel}, ${delivery.kind}, ${delivery.notificationId ?? null},
      ${outcome.state}, ${delivery.attempts}, ${reason}, ${code}, ${now}, ${now})
    ON CONFLICT (id) DO UPDATE SET user_id = excluded.user_id, state = excluded.state, attempts = excluded.attempts,
      reason = excluded.reason, code = excluded.code, at = excluded.at
  `.execute(db);
}

export interface DeliveryRow {
  readonly id: string;
  readonly user_id: string | null;
  readonly channel: DeliveryChannel;
  readonly kind: DeliveryKind;
  readonly notification_id: string | null;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly reason: DeliveryReason | null;
  readonly code: number | null;
  readonly first_at: Date;
  readonly at: Date;
}

const columns = sql.raw('id, user_id, channel, kind, notification_id, state, attempts, reason, code, first_at, at');

/** Where a page begins: after the row with that id, or at the newest. */
const after = (before: string | undefined) =>
  before === undefined ? sql`true` : sql`(first_at, id) < (SELECT first_at, id FROM delivery WHERE id = ${before})`;

export async function selectDeliveriesOf(
  db: Executor,
  userId: string,
  { before, limit }: { readonly before: string | undefined; readonly limit: number },
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    SELECT ${columns} FROM delivery WHERE user_id = ${userId} AND ${after(before)}
    ORDER BY first_at DESC, id DESC LIMIT ${limit}
  `.execute(db);
  return rows;
}

export async function selectUnsent(
  db: Executor,
  asked: {
    readonly state: DeliveryState | undefined;
    readonly channel: DeliveryChannel | undefined;
    readonly before: string | undefined;
    readonly limit: number;
  },
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow>`
    SELECT ${columns} FROM delivery
    WHERE state <> 'sent' AND ${asked.state === undefined ? sql`true` : sql`state = ${asked.state}`}
      AND ${asked.channel === undefined ? sql`true` : sql`channel = ${asked.channel}`} AND ${after(asked.before)}
    ORDER BY first_at DESC, id DESC LIMIT ${asked.limit}
  `.execute(db);
  return rows;
}

export async function selectDelivery(db: Executor, id: string): Promise<DeliveryRow | undefined> {
  return (await sql<DeliveryRow>`SELECT ${columns} FROM delivery WHERE id = ${id}`.execute(db)).rows[0];
}

/** When a notification was sent again by one channel, newest first. The caller holds its user. */
export async function selectResentTimes(tx: Tx, { user_id, notification_id, channel }: DeliveryRow): Promise<Date[]> {
  const { rows } = await sql<{ at: Date }>`
    SELECT unnest(resent_at) AS at FROM delivery
    WHERE user_id = ${user_id} AND notification_id = ${notification_id} AND channel = ${channel} ORDER BY at DESC
  `.execute(tx);
  return rows.map(({ at }) => at);
}

export async function noteResent(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`UPDATE delivery SET resent_at = resent_at || ${now}::timestamptz WHERE id = ${id}`.execute(tx);
}

export async function deleteOldDeliveries(db: Executor, before: Date): Promise<void> {
  await inBatches(
    db,
    (limit) =>
      sql`DELETE FROM delivery WHERE ctid IN (SELECT ctid FROM delivery WHERE at < ${before} LIMIT ${limit} FOR UPDATE)`,
  );
}

export async function deleteDeliveriesOf(tx: Tx, userId: string): Promise<void> {
  await sql`DELETE FROM delivery WHERE user_id = ${userId}`.execute(tx);
}

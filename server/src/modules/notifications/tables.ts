import type { NotificationKind } from '@raha/contract/public/notifications.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';
import type { AnyEvent } from './kinds.ts';

export interface NotificationRow {
  readonly id: string;
  readonly kind: NotificationKind;
  readonly data: unknown;
  readonly created_at: Date;
  readonly read_at: Date | null;
}

export type NewNotification = AnyEvent & { readonly id: string };

/** Inserts the new ones and returns them. Of two concurrent calls with one cause, the second waits and inserts nothing. */
export async function insertNotifications(
  tx: Tx,
  events: readonly NewNotification[],
  now: Date,
): Promise<{ id: string; user_id: string; kind: NotificationKind; cause: string }[]> {
  const column = (pick: (event: NewNotification) => string) => events.map(pick);
  const result = await sql<{ id: string; user_id: string; kind: NotificationKind; cause: string }>`
    INSERT INTO notification (id, user_id, kind, cause, data, created_at)
    SELECT id, user_id, kind, cause, data::jsonb, ${now}
    FROM unnest(
      ${column(({ id }) => id)}::uuid[], ${column(({ userId }) => userId)}::uuid[], ${column(({ kind }) => kind)}::text[],
      ${column(({ cause }) => cause)}::text[], ${column(({ data }) => JSON.stringify(data))}::text[]
    ) AS i (id, user_id, kind, cause, data)
    ORDER BY user_id, kind, cause
    ON CONFLICT (user_id, kind, cause) DO NOTHING RETURNING id, user_id, kind, cause
  `.execute(tx);
  return result.rows;
}

/** How often each user was notified that the service stopped, and that it was restored. */
export async function countStops(
  tx: Tx,
  userIds: readonly string[],
): Promise<Map<string, { stopped: number; restored: number }>> {
  const { rows } = await sql<{ user_id: string; stopped: bigint; restored: bigint }>`
    SELECT i.user_id, count(*) FILTER (WHERE n.kind = 'service_cut') AS stopped,
      count(*) FILTER (WHERE n.kind = 'service_restored') AS restored
    FROM unnest(${userIds}::uuid[]) AS i (user_id)
    LEFT JOIN notification n ON n.user_id = i.user_id AND n.kind IN ('service_cut', 'service_restored')
    GROUP BY i.user_id
  `.execute(tx);
  return new Map(rows.map((row) => [row.user_id, { stopped: Number(row.stopped), restored: Number(row.restored) }]));
}

export async function selectNotifications(db: Executor, userId: string, limit: number): Promise<NotificationRow[]> {
  const { rows } = await sql<NotificationRow>`
    SELECT id, kind, data, created_at, read_at FROM notification
    WHERE user_id = ${userId} AND deleted_at IS NULL ORDER BY created_at DESC, id DESC LIMIT ${limit}
  `.execute(db);
  return rows;
}

/** What a notification says, by which it can be sent again; undefined if it was deleted, or emptied because of its age. */
export async function selectEvent(tx: Tx, id: string): Promise<(AnyEvent & { readonly id: string }) | undefined> {
  const { rows } = await sql<AnyEvent & { readonly id: string }>`
    SELECT id, user_id AS "userId", kind, cause, data FROM notification WHERE id = ${id} AND deleted_at IS NULL
  `.execute(tx);
  return rows[0];
}

/** Those before an instant, newest first; all of the last instant, so that the next page begins before it. */
export async function selectNotificationsBefore(
  db: Executor,
  userId: string,
  before: Date,
  limit: number,
): Promise<NotificationRow[]> {
  const { rows } = await sql<NotificationRow>`
    SELECT id, kind, data, created_at, read_at FROM notification
    WHERE user_id = ${userId} AND deleted_at IS NULL AND created_at < ${before}
    ORDER BY created_at DESC FETCH FIRST ${limit} ROWS WITH TIES
  `.execute(db);
  return rows;
}

export async function countUnread(db: Executor, userId: string): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    SELECT count(*) AS count FROM notification WHERE user_id = ${userId} AND deleted_at IS NULL AND read_at IS NULL
  `.execute(db);
  return Number(rows[0]?.count ?? 0n);
}

/** False when the user has no such notification. Reading twice keeps the first time. */
export async function markRead(db: Executor, userId: string, id: string, now: Date): Promise<boolean> {
  const result = await sql`
    UPDATE notification SET read_at = coalesce(read_at, ${now})
    WHERE id = ${id} AND user_id = ${userId} AND deleted_at IS NULL
  `.execute(db);
  return result.numAffectedRows === 1n;
}

export async function markAllRead(db: Executor, userId: string, now: Date): Promise<void> {
  await sql`
    UPDATE notification SET read_at = ${now} WHERE user_id = ${userId} AND deleted_at IS NULL AND read_at IS NULL
  `.execute(db);
}

/** False when the user has no such notification. */
export async function markDeleted(db: Executor, userId: string, id: string, now: Date): Promise<boolean> {
  const result = await sql`
    UPDATE notification SET deleted_at = ${now} WHERE id = ${id} AND user_id = ${userId} AND deleted_at IS NULL
  `.execute(db);
  return result.numAffectedRows === 1n;
}

export async function markAllDeleted(db: Executor, userId: string, now: Date): Promise<void> {
  await sql`UPDATE notification SET deleted_at = ${now} WHERE user_id = ${userId} AND deleted_at IS NULL`.execute(db);
}

export interface BaselineRow {
  readonly user_id: string;
  readonly baseline_toman: bigint;
  readonly cause: string;
  readonly warned_percent: number;
}

export async function upsertBaseline(tx: Tx, userId: string, baselineToman: bigint, cause: string): Promise<void> {
  await sql`
    INSERT INTO low_balance_baseline (user_id, baseline_toman, cause) VALUES (${userId}, ${baselineToman}, ${cause})
    ON CONFLICT (user_id) DO UPDATE
      SET baseline_toman = excluded.baseline_toman, cause = excluded.cause, warned_percent = 100
  `.execute(tx);
}

/** Baselines of the users who have not been given the last warning yet. */
export async function selectBaselines(tx: Tx, userIds: readonly string[], last: number): Promise<BaselineRow[]> {
  const { rows } = await sql<BaselineRow>`
    SELECT user_id, baseline_toman, cause, warned_percent FROM low_balance_baseline
    WHERE user_id = ANY (${userIds}::uuid[]) AND warned_percent > ${last} ORDER BY user_id
  `.execute(tx);
  return rows;
}

/** Suppresses warnings of this threshold and higher ones until the next top-up. */
export async function silenceWarnings(tx: Tx, userIds: readonly string[], percent: number): Promise<void> {
  await sql`
    UPDATE low_balance_baseline SET warned_percent = ${percent}
    WHERE user_id = ANY (${userIds}::uuid[]) AND warned_percent > ${percent}
  `.execute(tx);
}

/** False when the baseline has changed or a lower warning was given meanwhile. */
export async function updateWarned(tx: Tx, baseline: BaselineRow, percent: number): Promise<boolean> {
  const result = await sql`
    UPDATE low_balance_baseline SET warned_percent = ${percent}
    WHERE user_id = ${baseline.user_id} AND cause = ${baseline.cause} AND warned_percent > ${percent}
  `.execute(tx);
  return result.numAffectedRows === 1n;
}

/** Kinds whose cause can be reported again: their rows stay, emptied and hidden. */
const guarded = ['welcome', 'account_activated', 'config_live', 'service_cut', 'service_restored'];
/** As the index `notification_by_age` has them, not as a parameter. */
const guardedKinds = sql.raw(`'{${guarded.join(',')}}'::text[]`);

export async function deleteOldNotifications(db: Executor, before: Date, now: Date): Promise<void> {
  await inBatches(
    db,
    (limit) => sql`
      DELETE FROM notification WHERE ctid IN (
        SELECT ctid FROM notification WHERE created_at < ${before} AND kind <> ALL (${guardedKinds}) LIMIT ${limit} FOR UPDATE)
    `,
  );
  await inBatches(
    db,
    (limit) => sql`
      UPDATE notification SET data = '{}', deleted_at = coalesce(deleted_at, ${now}) WHERE ctid IN (
        SELECT ctid FROM notification WHERE created_at < ${before} AND (data <> '{}' OR deleted_at IS NULL) LIMIT ${limit} FOR UPDATE)
    `,
  );
}

export async function deleteNotificationsOf(tx: Tx, userId: string): Promise<void> {
  await sql`DELETE FROM notification WHERE user_id = ${userId}`.execute(tx);
  await sql`DELETE FROM low_balance_baseline WHERE user_id = ${userId}`.execute(tx);
}

import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names `alert_message`. */
export const events = ['opened', 'reminded', 'closed'] as const;
export type AlertEvent = (typeof events)[number];
export type Channel = 'mail' | 'webhook';

export interface MessageRow {
  readonly id: string;
  readonly event: AlertEvent;
  readonly channel: Channel;
  readonly member_id: string | null;
  readonly body: string;
  readonly attempts: number;
  readonly created_at: Date;
}

export interface NewMessage {
  readonly id: string;
  readonly alertId: string;
  readonly event: AlertEvent;
  readonly channel: Channel;
  readonly memberId: string | null;
  readonly body: string;
}

export async function insertMessages(tx: Tx, messages: readonly NewMessage[], now: Date): Promise<void> {
  for (const { id, alertId, event, channel, memberId, body } of messages) {
    await sql`
      INSERT INTO alert_message (id, alert_id, event, channel, member_id, body, created_at, next_at)
      VALUES (${id}, ${alertId}, ${event}, ${channel}, ${memberId}, ${body}, ${now}, ${now})
    `.execute(tx);
  }
}

/**
 * Takes messages that are due, each of them for one process: until `again` no other one does. One whose sender is killed is
 * due again then, with the same id.
 */
export async function claimDue(db: Executor, limit: number, now: Date, again: Date): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`
    UPDATE alert_message SET attempts = attempts + 1, next_at = ${again}
    WHERE id IN (
      SELECT id FROM alert_message WHERE next_at <= ${now} ORDER BY next_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    RETURNING id, event, channel, member_id, body, attempts, created_at
  `.execute(db);
  return rows;
}

export async function updateSent(db: Executor, id: string, now: Date): Promise<void> {
  await sql`
    UPDATE alert_message SET sent_at = ${now}, next_at = NULL, failure = NULL WHERE id = ${id} AND failed_at IS NULL
  `.execute(db);
}

/** `next` undefined: it is given up. */
export async function updateFailed(
  db: Executor,
  id: string,
  { failure, next }: { readonly failure: string; readonly next: Date | undefined },
  now: Date,
): Promise<void> {
  await sql`
    UPDATE alert_message SET failure = ${failure}, next_at = ${next ?? null}, failed_at = ${next ? null : now}
    WHERE id = ${id} AND sent_at IS NULL
  `.execute(db);
}

/** Of a member who works here no longer. */
export async function deleteMessage(db: Executor, id: string): Promise<void> {
  await sql`DELETE FROM alert_message WHERE id = ${id}`.execute(db);
}

/**
 * The channels by which the newest message with an outcome, to any of its receivers, did not get out: it was given up or has
 * failed `attempts` times.
 */
export async function selectFailing(db: Executor, since: Date, attempts: number): Promise<Channel[]> {
  const { rows } = await sql<{ channel: Channel }>`
    SELECT DISTINCT channel FROM (
      SELECT DISTINCT ON (channel, member_id) channel, sent_at FROM alert_message
      WHERE created_at > ${since} AND (sent_at IS NOT NULL OR failed_at IS NOT NULL OR (failure IS NOT NULL AND attempts >= ${attempts}))
      ORDER BY channel, member_id, created_at DESC, id DESC
    ) newest WHERE sent_at IS NULL ORDER BY channel
  `.execute(db);
  return rows.map(({ channel }) => channel);
}

import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names `service_stop`. */

/** The latest stop of a user's service. */
export interface ServiceStop {
  /** What had paid for the last bytes. */
  readonly cause: 'money' | 'plan' | 'trial';
  readonly stopped_at: Date;
  /** When leases were raised again; null while the service is stopped. */
  readonly restored_at: Date | null;
  /** When a node confirmed such a lease. */
  readonly opened_at: Date | null;
}

export type StopRow = { readonly [K in keyof ServiceStop]: ServiceStop[K] | null };

/** `StopRow`s with the user's id, for the SQL of another module. */
export const stopRows = sql.raw(
  '(SELECT user_id AS stop_user_id, cause, stopped_at, restored_at, opened_at FROM service_stop)',
);

export async function selectStop(db: Executor, userId: string): Promise<ServiceStop | undefined> {
  const { rows } = await sql<ServiceStop>`
    SELECT cause, stopped_at, restored_at, opened_at FROM service_stop WHERE user_id = ${userId}
  `.execute(db);
  return rows[0];
}

/** Begins a stop for those of the users who are not stopped already, and returns them. */
export async function insertStops(
  tx: Tx,
  stops: readonly { readonly userId: string; readonly cause: ServiceStop['cause'] }[],
  now: Date,
): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    INSERT INTO service_stop AS s (user_id, cause, stopped_at)
    SELECT user_id, cause, ${now} FROM unnest(
      ${stops.map(({ userId }) => userId)}::uuid[], ${stops.map(({ cause }) => cause)}::text[]
    ) AS i (user_id, cause) ORDER BY user_id
    ON CONFLICT (user_id) DO UPDATE
      SET cause = excluded.cause, stopped_at = excluded.stopped_at, restored_at = NULL, opened_at = NULL
      WHERE s.restored_at IS NOT NULL
    RETURNING user_id
  `.execute(tx);
  return rows.map((row) => row.user_id);
}

/** Ends the stops of those of the users who are stopped, and returns them. */
export async function updateRestored(tx: Tx, userIds: readonly string[], now: Date): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    UPDATE service_stop SET restored_at = ${now} WHERE user_id = ANY (${userIds}::uuid[]) AND restored_at IS NULL
    RETURNING user_id
  `.execute(tx);
  return rows.map((row) => row.user_id);
}

/** A node has confirmed a lease of these users: those whose stop had ended and was not confirmed yet are returned. */
export async function updateOpened(tx: Tx, userIds: readonly string[], now: Date): Promise<string[]> {
  const { rows } = await sql<{ user_id: string }>`
    UPDATE service_stop SET opened_at = ${now}
    WHERE user_id = ANY (${userIds}::uuid[]) AND restored_at IS NOT NULL AND opened_at IS NULL
    RETURNING user_id
  `.execute(tx);
  return rows.map((row) => row.user_id);
}

export async function deleteStop(tx: Tx, userId: string): Promise<void> {
  await sql`DELETE FROM service_stop WHERE user_id = ${userId}`.execute(tx);
}

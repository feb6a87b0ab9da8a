import { type RawBuilder, sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** Monthly caps: the columns `cap_…` of `meter`. */

/** What a cap still lets pass in its month, after all that has been reported; null without a cap. */
export function capLeft(meter: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`CASE WHEN ${meter}.cap_bytes IS NOT NULL
    THEN greatest(${meter}.cap_end_bytes - ${meter}.total_up - ${meter}.total_down, 0) END`;
}

/** A month in which caps are counted: its first Tehran day, as YYYY-MM-DD, and the instant at which it begins. */
export interface CapMonth {
  readonly from: string;
  readonly begins: Date;
}

/**
 * Sets the cap of a locked meter, or ends it (null). Counted is what was reported since the month began, by the same hours as in the
 * statement, whenever this runs.
 */
export async function updateCap(tx: Tx, configId: string, bytes: bigint | null, month: CapMonth): Promise<void> {
  if (bytes === null) {
    await sql`UPDATE meter SET cap_bytes = NULL, cap_from = NULL, cap_end_bytes = NULL WHERE config_id = ${configId}`.execute(
      tx,
    );
    return;
  }
  await sql`
    UPDATE meter m SET cap_bytes = ${bytes}, cap_from = ${month.from}::date, cap_end_bytes = ${beforeMonth(month)} + ${bytes}
    WHERE m.config_id = ${configId}
  `.execute(tx);
}

/** The same cap for a new month, of locked meters. */
export async function renewCaps(tx: Tx, configIds: readonly string[], month: CapMonth): Promise<void> {
  await sql`
    UPDATE meter m SET cap_from = ${month.from}::date, cap_end_bytes = ${beforeMonth(month)} + m.cap_bytes
    WHERE m.config_id = ANY (${configIds}::uuid[]) AND m.cap_from < ${month.from}::date
  `.execute(tx);
}

/** The bytes of meter `m` that were reported before a month. */
function beforeMonth({ begins }: CapMonth): RawBuilder<unknown> {
  return sql`(m.total_up + m.total_down
    - coalesce((SELECT sum(h.up + h.down)::bigint FROM usage_hour h WHERE h.config_id = m.config_id AND h.hour >= ${begins}), 0)
    - CASE WHEN m.hour_start >= ${begins} THEN m.hour_up + m.hour_down ELSE 0 END)`;
}

/** Gives a replacement the cap of the config that it replaces, with what is left of it in this month. */
export async function copyCap(tx: Tx, fromId: string, toId: string): Promise<void> {
  await sql`
    UPDATE meter m SET cap_bytes = o.cap_bytes, cap_from = o.cap_from,
      cap_end_bytes = greatest(o.cap_end_bytes - o.total_up - o.total_down, 0)
    FROM meter o WHERE o.config_id = ${fromId} AND m.config_id = ${toId} AND o.cap_bytes IS NOT NULL
  `.execute(tx);
}

/** Meters whose cap is that of an earlier month, or whose lease reaches beyond their cap and is not being lowered. */
export async function selectCapsToKeep(db: Executor, month: CapMonth, limit: number): Promise<string[]> {
  const { rows } = await sql<{ config_id: string }>`
    SELECT m.config_id FROM meter m WHERE m.cap_bytes IS NOT NULL AND NOT m.final AND (
      m.cap_from < ${month.from}::date
      OR (m.lease_shrink_to IS NULL AND m.lease_limit_bytes - m.billed_bytes - m.unpaid_bytes > ${capLeft(sql`m`)})
    )
    ORDER BY m.config_id LIMIT ${limit}
  `.execute(db);
  return rows.map(({ config_id: id }) => id);
}

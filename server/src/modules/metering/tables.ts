import type { Sample } from '@raha/contract/node/protocol.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** Readings: with `leases.ts` the only files that name meter, meter_epoch, price_segment, usage_hour. */

/** What one reading did to one meter. */
export interface ReadingRow {
  readonly config_id: string;
  readonly user_id: string;
  readonly node_id: string;
  /** Bytes that were not known before. */
  readonly delta: bigint;
  /** Toman they cost, within the lease. */
  readonly charge: bigint;
  readonly billed_bytes: bigint;
  readonly lease_version: number;
  readonly lease_limit_bytes: bigint;
  readonly lease_shrink_to: bigint | null;
  readonly lease_grant_bytes: bigint;
  readonly epoch_bytes: bigint;
  readonly rate: bigint;
  readonly sample_version: number;
  readonly final: boolean;
}

/**
 * Applies readings of the meters' current epoch in one statement: high-water marks, billed bytes (never beyond the
 * lease), their charge, the running hour, the rate. Meters of another node or in another epoch give no row.
 */
export async function applyReadings(
  tx: Tx,
  nodeId: string,
  epoch: string,
  samples: readonly Sample[],
  now: Date,
  ageMs: number,
): Promise<ReadingRow[]> {
  const hour = new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000);
  const readAt = new Date(now.getTime() - Math.min(ageMs, 35 * 86_400_000));
  const result = await sql<ReadingRow>`
    WITH input AS (
      SELECT * FROM unnest(
        ${samples.map((s) => s.config)}::uuid[], ${samples.map((s) => s.up)}::bigint[], ${samples.map((s) => s.down)}::bigint[],
        ${samples.map((s) => s.leaseVersion)}::int[], ${samples.map((s) => s.final ?? false)}::boolean[]
      ) AS i (config_id, up, down, version, last)
    ), locked AS MATERIALIZED (
      SELECT m.*, i.up AS s_up, i.down AS s_down, i.version AS s_version, i.last AS s_last,
        greatest(0, i.up - m.epoch_up) AS d_up, greatest(0, i.down - m.epoch_down) AS d_down
      FROM input i JOIN meter m ON m.config_id = i.config_id
      WHERE m.node_id = ${nodeId} AND m.epoch = ${epoch}
      ORDER BY m.config_id FOR UPDATE OF m
    ), billed AS MATERIALIZED (
      SELECT *, least(billed_bytes + d_up + d_down, lease_limit_bytes) AS u FROM locked
    ), charged AS MATERIALIZED (
      SELECT *,
        (div(greatest(u - segment_start, 0)::numeric * segment_price, 1000000000000)
         - div(greatest(billed_bytes - segment_start, 0)::numeric * segment_price, 1000000000000)
         + CASE WHEN billed_bytes >= segment_start OR u = billed_bytes THEN 0 ELSE (
             SELECT coalesce(sum(
               div((least(s.end_byte, u) - s.start_byte)::numeric * s.price, 1000000000000)
               - div(greatest(least(s.end_byte, b.billed_bytes) - s.start_byte, 0)::numeric * s.price, 1000000000000)), 0)
             FROM price_segment s WHERE s.config_id = b.config_id AND s.end_byte > b.billed_bytes AND s.start_byte < u
           ) END)::bigint AS charge
      FROM billed b
    ), hours AS (
      INSERT INTO usage_hour AS h (config_id, hour, up, down, charged_toman)
      SELECT config_id, hour_start, hour_up, hour_down, hour_charged FROM locked
      WHERE hour_start <> ${hour} AND hour_up + hour_down + hour_charged > 0
      ON CONFLICT (config_id, hour) DO UPDATE
        SET up = h.up + excluded.up, down = h.down + excluded.down, charged_toman = h.charged_toman + excluded.charged_toman
    )
    UPDATE meter m SET
      epoch_up = c.epoch_up + c.d_up, epoch_down = c.epoch_down + c.d_down,
      total_up = c.total_up + c.d_up, total_down = c.total_down + c.d_down,
      billed_bytes = c.u, unbilled_bytes = c.unbilled_bytes + (c.billed_bytes + c.d_up + c.d_down - c.u),
      hour_start = ${hour},
      hour_up = c.d_up + CASE WHEN c.hour_start = ${hour} THEN c.hour_up ELSE 0 END,
      hour_down = c.d_down + CASE WHEN c.hour_start = ${hour} THEN c.hour_down ELSE 0 END,
      hour_charged = c.charge + CASE WHEN c.hour_start = ${hour} THEN c.hour_charged ELSE 0 END,
      rate_up = rate.up, rate_down = rate.down, sampled_at = ${readAt},
      last_used_at = CASE WHEN c.d_up + c.d_down > 0 THEN ${readAt} ELSE c.last_used_at END,
      final = c.final OR c.s_last
    FROM charged c CROSS JOIN LATERAL (
      SELECT (c.d_up * 8 / s)::bigint AS up, (c.d_down * 8 / s)::bigint AS down
      FROM (SELECT greatest(0.5, extract(epoch FROM ${readAt}::timestamptz - coalesce(c.sampled_at, ${readAt}::timestamptz - interval '2 seconds')))::float8 AS s) t
    ) rate
    WHERE m.config_id = c.config_id
    RETURNING m.config_id, m.user_id, m.node_id, c.d_up + c.d_down AS delta, c.charge, m.billed_bytes, m.lease_version,
      m.lease_limit_bytes, m.lease_shrink_to, m.lease_grant_bytes, m.epoch_up + m.epoch_down AS epoch_bytes,
      m.rate_up + m.rate_down AS rate, c.s_version AS sample_version, m.final
  `.execute(tx);
  return result.rows;
}

/** Moves meters into an epoch: their marks so far rest in meter_epoch, those of the epoch come back if it was known. */
export async function switchEpoch(tx: Tx, nodeId: string, epoch: string, configIds: readonly string[]): Promise<void> {
  await sql`
    WITH switched AS MATERIALIZED (
      SELECT config_id, epoch, epoch_up, epoch_down FROM meter
      WHERE config_id = ANY (${configIds}::uuid[]) AND node_id = ${nodeId} AND epoch IS DISTINCT FROM ${epoch}
      ORDER BY config_id FOR UPDATE
    ), kept AS (
      INSERT INTO meter_epoch AS e (config_id, epoch, up, down)
      SELECT config_id, epoch, epoch_up, epoch_down FROM switched WHERE epoch IS NOT NULL
      ON CONFLICT (config_id, epoch) DO UPDATE SET up = greatest(e.up, excluded.up), down = greatest(e.down, excluded.down)
    )
    UPDATE meter m SET epoch = ${epoch}, epoch_up = coalesce(e.up, 0), epoch_down = coalesce(e.down, 0)
    FROM switched s LEFT JOIN meter_epoch e ON e.config_id = s.config_id AND e.epoch = ${epoch}
    WHERE m.config_id = s.config_id
  `.execute(tx);
}

export async function insertMeter(
  tx: Tx,
  meter: { configId: string; userId: string; nodeId: string; generation: bigint; epoch: string | null },
): Promise<void> {
  await sql`
    INSERT INTO meter (config_id, user_id, node_id, generation, epoch)
    VALUES (${meter.configId}, ${meter.userId}, ${meter.nodeId}, ${meter.generation}, ${meter.epoch})
  `.execute(tx);
}

export interface UsageRow {
  readonly config_id: string;
  readonly generation: bigint;
  readonly total_up: bigint;
  readonly total_down: bigint;
  readonly billed_bytes: bigint;
  readonly lease_limit_bytes: bigint;
  readonly segment_start: bigint;
  readonly segment_price: bigint;
  readonly rate_up: bigint;
  readonly rate_down: bigint;
  readonly sampled_at: Date | null;
  readonly last_used_at: Date | null;
}

export async function selectUsage(db: Executor, configIds: readonly string[]): Promise<UsageRow[]> {
  const result = await sql<UsageRow>`
    SELECT config_id, generation, total_up, total_down, billed_bytes, lease_limit_bytes, segment_start, segment_price, rate_up, rate_down, sampled_at, last_used_at
    FROM meter WHERE config_id = ANY (${configIds}::uuid[])
  `.execute(db);
  return result.rows;
}

/** Which of these people's configs a node has just reported on. */
export async function selectReportedSince(db: Executor, nodeId: string, userIds: readonly string[], since: Date) {
  const result = await sql<{ user_id: string; config_id: string }>`
    SELECT user_id, config_id FROM meter
    WHERE node_id = ${nodeId} AND user_id = ANY (${userIds}::uuid[]) AND sampled_at >= ${since}
  `.execute(db);
  return result.rows;
}

import { limits } from '@raha/contract/limits.ts';
import type { Sample } from '@raha/contract/node/protocol.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { capLeft } from './cap-tables.ts';
import { chargeUpTo } from './leases.ts';
import { hourOf } from './rules.ts';

/** Readings. With `leases.ts` the main home of SQL on meter, meter_epoch, price_segment and usage_hour. */

/** A meter that needs more work after a report: money to book, or a lease to raise, confirm or release. */
export interface ReadingRow {
  readonly config_id: string;
  readonly user_id: string;
  readonly node_id: string;
  /** It is this config's turn to have its owner's balance compared with the warning levels. */
  readonly checks_balance: boolean;
  readonly billed_bytes: bigint;
  /** Bytes of this reading were beyond anything that was leased. */
  readonly is_beyond: boolean;
  /** Of what was billed, the bytes that the trial of the owner pays for. */
  readonly newly_free: bigint;
  readonly lease_version: number;
  readonly lease_limit_bytes: bigint;
  readonly lease_shrink_to: bigint | null;
  readonly lease_grant_bytes: bigint;
  readonly lease_rate: bigint;
  readonly lease_short: boolean;
  readonly epoch_bytes: bigint;
  readonly sample_version: number;
  /** The node holds a version of the lease that was never granted here. */
  readonly is_unknown: boolean;
  readonly final: boolean;
  readonly past_hour: Date | null;
  /** What the config's monthly cap still lets pass after this reading; null without a cap. */
  readonly cap_left: bigint | null;
}

const { horizonSeconds, renewalSeconds, idleBytes, maxBytes } = limits.lease;
/** A node that claims more is not answered in kind: versions are counted in 32 bits. */
const MOST_VERSIONS = 1_000_000_000;

export interface Readings {
  readonly nodeId: string;
  readonly epoch: string;
  readonly seq: number;
  readonly ageMs: number;
}

/**
 * Applies readings of the meters' current epoch in one statement: high-water marks, billed bytes (never beyond the
 * lease), their price, the running hour, the throughput. Bytes beyond a lease that was recalled, up to the limit that the
 * node may still enforce, are kept as unpaid (`billUnpaid`). A node with a version of the lease that is unknown here (a backup was
 * restored) gets the lease as it is, under a version that it accepts. Meters of another node or in another epoch are skipped. Rows
 * are found by index and locked in id order (`byIndex`). What the reading changed is written into the row (`reading_…`, `past_…`),
 * because only PostgreSQL 18 could return old values, and an installation has 15; reading the rows first would cost a third more.
 * Most readings need no more work. Only those that do are returned, with the number of all readings applied and the bytes they
 * billed.
 */
export async function applyReadings(
  tx: Tx,
  { nodeId, epoch, seq, ageMs }: Readings,
  samples: readonly Sample[],
  now: Date,
): Promise<{ applied: number; billedBytes: bigint; rows: ReadingRow[] }> {
  const sorted = [...samples].sort((a, b) => (a.config < b.config ? -1 : 1));
  const hour = hourOf(now);
  const readAt = new Date(now.getTime() - Math.min(ageMs, 35 * 86_400_000));
  const newUp = sql`greatest(i.up - m.epoch_up, 0)`;
  const newDown = sql`greatest(i.down - m.epoch_down, 0)`;
  const billed = sql`least(m.billed_bytes + ${newUp} + ${newDown}, m.lease_limit_bytes)`;
  const charge = chargeUpTo(billed);
  const excess = sql`(m.billed_bytes + ${newUp} + ${newDown} - ${billed})`;
  const unpaid = sql`CASE WHEN m.lease_recalled_limit IS NULL THEN 0
    ELSE least(${excess}, greatest(m.lease_recalled_limit - m.lease_limit_bytes - m.unpaid_bytes, 0)) END`;
  const sinceMs = sql`greatest(500, round(extract(epoch FROM ${readAt}::timestamptz - coalesce(m.sampled_at, ${readAt}::timestamptz - interval '2 seconds')) * 1000))::bigint`;
  const rateMs = sql`${limits.lease.rateSeconds * 1_000}::bigint`;
  const isUnknown = sql`(i.version > m.lease_version AND i.version < ${MOST_VERSIONS})`;
  const sameHour = sql`m.hour_start = ${hour}`;
  const seconds = sql`greatest(0.5, extract(epoch FROM ${readAt}::timestamptz - coalesce(m.sampled_at, ${readAt}::timestamptz - interval '2 seconds')))`;
  // Checks are spread: each config's turn comes once in `reportsPerBalanceCheck` reports, not that of all in the same one.
  const turn = sql`(i.last OR (get_byte(uuid_send(m.config_id), 15) + ${seq}) % ${limits.metering.reportsPerBalanceCheck} = 0)`;
  const result = await sql<ReadingRow & { applied: bigint; billed: bigint }>`
    WITH applied AS (
      UPDATE meter m SET
        epoch_up = greatest(m.epoch_up, i.up), epoch_down = greatest(m.epoch_down, i.down),
        total_up = m.total_up + ${newUp}, total_down = m.total_down + ${newDown},
        billed_bytes = ${billed}, unpaid_bytes = m.unpaid_bytes + ${unpaid}, unbilled_bytes = m.unbilled_bytes + ${excess} - ${unpaid},
        lease_recalled_limit = CASE WHEN i.version >= m.lease_version OR i.last THEN NULL ELSE m.lease_recalled_limit END,
        unbooked_toman = m.unbooked_toman + ${charge},
        unbooked_since = coalesce(m.unbooked_since, CASE WHEN ${charge} > 0 THEN ${hour}::timestamptz END),
        hour_start = ${hour},
        hour_up = CASE WHEN ${sameHour} THEN m.hour_up ELSE 0 END + ${newUp},
        hour_down = CASE WHEN ${sameHour} THEN m.hour_down ELSE 0 END + ${newDown},
        hour_charged = CASE WHEN ${sameHour} THEN m.hour_charged ELSE 0 END + ${charge},
        past_hour = CASE WHEN ${sameHour} OR m.hour_up + m.hour_down + m.hour_charged = 0 THEN NULL ELSE m.hour_start END,
        past_up = m.hour_up, past_down = m.hour_down, past_charged = m.hour_charged,
        throughput_up = (${newUp} * 8 / ${seconds})::bigint, throughput_down = (${newDown} * 8 / ${seconds})::bigint,
        lease_rate = least((m.lease_rate * greatest(${rateMs} - ${sinceMs}, 0) + (${newUp} + ${newDown}) * 1000) / greatest(${rateMs}, ${sinceMs}), ${limits.lease.maxBytes}::bigint),
        lease_version = CASE WHEN ${isUnknown} THEN i.version + 1 ELSE m.lease_version END,
        -- A node whose clock jumped says that its reading is old: a meter never goes back for it.
        sampled_at = greatest(m.sampled_at, ${readAt}::timestamptz),
        last_used_at = CASE WHEN ${newUp} + ${newDown} > 0 THEN greatest(m.last_used_at, ${readAt}::timestamptz) ELSE m.last_used_at END,
        final = m.final OR i.last,
        reading_billed = ${billed} - m.billed_bytes, reading_beyond = ${excess} > ${unpaid}, reading_unknown = i.version > m.lease_version
      FROM unnest(
        ${sorted.map((s) => s.config)}::uuid[], ${sorted.map((s) => s.up)}::bigint[], ${sorted.map((s) => s.down)}::bigint[],
        ${sorted.map((s) => s.leaseVersion)}::int[], ${sorted.map((s) => s.final ?? false)}::boolean[]
      ) AS i (config_id, up, down, version, last)
      WHERE m.config_id = i.config_id AND m.node_id = ${nodeId} AND m.epoch = ${epoch}
      RETURNING m.config_id, m.user_id, m.node_id, ${turn} AND m.unbooked_toman > 0 AS checks_balance, m.billed_bytes, m.lease_version, m.lease_limit_bytes,
        m.lease_shrink_to, m.lease_grant_bytes, m.lease_rate, m.lease_short, m.reading_unknown AS is_unknown, m.epoch_up + m.epoch_down AS epoch_bytes, i.version AS sample_version,
        m.hour_up + m.hour_down - CASE WHEN m.past_hour IS NULL THEN m.past_up + m.past_down ELSE 0 END AS newly_passed,
        m.reading_beyond AS is_beyond, m.reading_billed AS newly_billed,
        least(m.billed_bytes, m.trial_bytes) - least(m.billed_bytes - m.reading_billed, m.trial_bytes) AS newly_free, m.final, m.past_hour,
        ${capLeft(sql`m`)} AS cap_left
    ), passed AS (
      INSERT INTO node_month AS n (node_id, month, bytes)
      SELECT ${nodeId}, date_trunc('month', ${now}::timestamptz, 'UTC')::date, sum(newly_passed) FROM applied HAVING sum(newly_passed) > 0
      ON CONFLICT (node_id, month) DO UPDATE SET bytes = n.bytes + excluded.bytes
    )
    SELECT a.*, c.applied, c.billed FROM (SELECT count(*) AS applied, sum(newly_billed) AS billed FROM applied) c LEFT JOIN applied a ON
      a.checks_balance OR a.newly_free > 0 OR a.final OR a.past_hour IS NOT NULL OR a.sample_version < a.lease_version OR a.lease_shrink_to IS NOT NULL
      OR a.lease_limit_bytes - a.billed_bytes < CASE WHEN a.lease_short
        THEN greatest(${limits.lease.exhaustedBelowBytes}, a.lease_grant_bytes * ${limits.lease.refillBelow}::float8)
        ELSE least(greatest(a.lease_rate * ${horizonSeconds}::bigint, ${idleBytes}::bigint), ${maxBytes}::bigint) * ${renewalSeconds} / ${horizonSeconds} END
  `.execute(tx);
  const rows = result.rows.filter((row) => row.config_id !== null);
  const over = rows.filter((row) => row.past_hour !== null).map((row) => row.config_id);
  if (over.length > 0) await keepPastHours(tx, over);
  return { applied: Number(result.rows[0]?.applied ?? 0n), billedBytes: result.rows[0]?.billed ?? 0n, rows };
}

async function keepPastHours(tx: Tx, configIds: readonly string[]): Promise<void> {
  await sql`
    INSERT INTO usage_hour AS h (config_id, hour, up, down, charged_toman)
    SELECT config_id, past_hour, past_up, past_down, past_charged FROM meter
    WHERE config_id = ANY (${configIds}::uuid[]) AND past_hour IS NOT NULL
    ON CONFLICT (config_id, hour) DO UPDATE
      SET up = h.up + excluded.up, down = h.down + excluded.down, charged_toman = h.charged_toman + excluded.charged_toman
  `.execute(tx);
}

/**
 * Moves meters into an epoch. Their current marks are saved in meter_epoch; marks saved earlier for the new epoch are
 * restored. Returns the meters that were in another epoch.
 */
export async function switchEpoch(
  tx: Tx,
  nodeId: string,
  epoch: string,
  configIds: readonly string[],
): Promise<Set<string>> {
  const result = await sql<{ config_id: string }>`
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
    RETURNING m.config_id
  `.execute(tx);
  return new Set(result.rows.map((row) => row.config_id));
}

/** Whether any of these configs belongs to another node. */
export async function hasForeign(tx: Tx, nodeId: string, configIds: readonly string[]): Promise<boolean> {
  const result = await sql`
    SELECT 1 FROM meter WHERE config_id = ANY (${configIds}::uuid[]) AND node_id <> ${nodeId} LIMIT 1
  `.execute(tx);
  return result.rows.length > 0;
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

/** The configs of these users on which a node has just reported. */
export async function selectNodesOf(db: Executor, userId: string): Promise<string[]> {
  const result = await sql<{ node_id: string }>`
    SELECT DISTINCT node_id FROM meter WHERE user_id = ${userId} AND NOT final
  `.execute(db);
  return result.rows.map((row) => row.node_id);
}

export interface ReportedRow {
  readonly config_id: string;
  readonly user_id: string;
  readonly total_up: bigint;
  readonly total_down: bigint;
  readonly last_used_at: Date | null;
  readonly billed_bytes: bigint;
  readonly lease_limit_bytes: bigint;
}

export async function selectReportedSince(db: Executor, nodeId: string, userIds: readonly string[], since: Date) {
  const result = await sql<ReportedRow>`
    SELECT user_id, config_id, total_up, total_down, last_used_at, billed_bytes, lease_limit_bytes FROM meter
    WHERE node_id = ${nodeId} AND user_id = ANY (${userIds}::uuid[]) AND sampled_at >= ${since}
  `.execute(db);
  return result.rows;
}

export function idsBefore(id: string): RawBuilder<unknown> {
  return sql`SELECT config_id AS id FROM meter WHERE config_id < ${id}::uuid`;
}

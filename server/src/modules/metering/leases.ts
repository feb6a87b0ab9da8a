import { limits } from '@raha/contract/limits.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { capLeft } from './cap-tables.ts';
import { inSpan, type Span } from './sweep-tables.ts';

export { nextSpan } from './sweep-tables.ts';

/**
 * The lease side of a meter: how many bytes a config may use and at what price. Billing decides, this file stores.
 * Locks are always taken in the order meters → ledger accounts → node.
 */
export interface MeterRow {
  readonly config_id: string;
  readonly user_id: string;
  readonly node_id: string;
  readonly billed_bytes: bigint;
  readonly lease_version: number;
  readonly lease_limit_bytes: bigint;
  readonly lease_shrink_to: bigint | null;
  readonly lease_grant_bytes: bigint;
  readonly segment_start: bigint;
  readonly segment_price: bigint;
  /** The subscription that pays for the bytes of the last segment, if one does. */
  readonly segment_subscription_id: string | null;
  /** The limit that the node may still enforce although the lease was recalled; null once it has confirmed the lower one. */
  readonly lease_recalled_limit: bigint | null;
  /** Bytes that passed under a recalled lease and are not paid yet; they are billed before anything new is granted. */
  readonly unpaid_bytes: bigint;
  /** Bytes per second, the mean over about two minutes. */
  readonly lease_rate: bigint;
  /** The last grant gave less than was due, so the lease is not renewed before it runs low. */
  readonly lease_short: boolean;
  readonly last_used_at: Date | null;
  readonly final: boolean;
  /** The first bytes, which the owner's trial pays for, as far as they are leased. */
  readonly trial_bytes: bigint;
  /** What the config's monthly cap still lets pass; null without a cap. */
  readonly cap_left: bigint | null;
}

const meterColumns = sql`config_id, user_id, node_id, billed_bytes, lease_version, lease_limit_bytes, lease_shrink_to, lease_grant_bytes, segment_start,
  segment_price, segment_subscription_id, lease_recalled_limit, unpaid_bytes, lease_rate, lease_short, last_used_at,
  final, trial_bytes, ${capLeft(sql`meter`)} AS cap_left`;

/** Locks meters in id order. This is the first step of everything that changes a lease. */
export async function lockMeters(tx: Tx, configIds: readonly string[]): Promise<MeterRow[]> {
  const result = await sql<MeterRow>`
    SELECT ${meterColumns} FROM meter WHERE config_id = ANY (${configIds}::uuid[]) ORDER BY config_id FOR UPDATE
  `.execute(tx);
  return result.rows;
}

/** Locks the meters of a user that still run, or that have bytes to pay for. */
export async function lockMetersOfUser(tx: Tx, userId: string): Promise<MeterRow[]> {
  const result = await sql<MeterRow>`
    SELECT ${meterColumns} FROM meter WHERE user_id = ${userId} AND (NOT final OR unpaid_bytes > 0) ORDER BY config_id FOR UPDATE
  `.execute(tx);
  return result.rows;
}

export interface LeaseUpdate {
  readonly configId: string;
  readonly version: number;
  readonly limit: bigint;
  readonly shrinkTo: bigint | null;
  readonly grantBytes: bigint;
  readonly segmentStart: bigint;
  readonly segmentPrice: bigint;
  readonly segmentSubscriptionId: string | null;
  /** Lowered before the node has confirmed: the old limit is remembered until it has. */
  readonly isRecalled?: boolean;
  /** Without it, it stays as it was. */
  readonly isShort?: boolean;
  /** Where the bytes that the trial pays for end now; without it they end where they did, at most at the limit. */
  readonly trialBytes?: bigint;
}

export async function updateLeases(tx: Tx, updates: readonly LeaseUpdate[]): Promise<void> {
  if (updates.length === 0) return;
  await sql`
    UPDATE meter m SET lease_version = u.version, lease_limit_bytes = u.lim, lease_shrink_to = u.shrink,
      lease_grant_bytes = u.grant_bytes, lease_short = coalesce(u.short, m.lease_short), segment_start = u.seg_start, segment_price = u.seg_price, segment_subscription_id = u.seg_plan,
      trial_bytes = least(coalesce(u.trial, m.trial_bytes), u.lim),
      lease_recalled_limit = CASE WHEN u.recalled THEN greatest(m.lease_recalled_limit, m.lease_limit_bytes)
        WHEN u.lim >= m.lease_recalled_limit THEN NULL ELSE m.lease_recalled_limit END
    FROM unnest(
      ${updates.map((u) => u.configId)}::uuid[], ${updates.map((u) => u.version)}::int[], ${updates.map((u) => String(u.limit))}::bigint[],
      ${updates.map((u) => (u.shrinkTo === null ? null : String(u.shrinkTo)))}::bigint[], ${updates.map((u) => String(u.grantBytes))}::bigint[],
      ${updates.map((u) => String(u.segmentStart))}::bigint[], ${updates.map((u) => String(u.segmentPrice))}::bigint[],
      ${updates.map((u) => u.segmentSubscriptionId)}::uuid[], ${updates.map((u) => u.isRecalled ?? false)}::boolean[],
      ${updates.map((u) => (u.trialBytes === undefined ? null : String(u.trialBytes)))}::bigint[],
      ${updates.map((u) => u.isShort ?? null)}::boolean[]
    ) AS u (config_id, version, lim, shrink, grant_bytes, seg_start, seg_price, seg_plan, recalled, trial, short)
    WHERE m.config_id = u.config_id
  `.execute(tx);
}

/** Turns around what is remembered of these locked meters: whether their leases could not be renewed. */
export async function toggleShort(tx: Tx, configIds: readonly string[]): Promise<void> {
  if (configIds.length === 0) return;
  await sql`UPDATE meter SET lease_short = NOT lease_short WHERE config_id = ANY (${configIds}::uuid[])`.execute(tx);
}

/**
 * The price of the bytes of meter `m` from what is billed up to `billed`. `charge_toman` is `chargeToman` of the contract
 * in SQL. `charge_closed_segments` is volatile: if the statement waited for a row lock, it reads the segments that match
 * the row as it is after the wait.
 */
export function chargeUpTo(billed: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    charge_toman(greatest(${billed} - m.segment_start, 0), m.segment_price)
    - charge_toman(greatest(m.billed_bytes - m.segment_start, 0), m.segment_price)
    + CASE WHEN m.billed_bytes >= m.segment_start THEN 0 ELSE charge_closed_segments(m.config_id, m.billed_bytes, ${billed}) END)`;
}

/** Bytes of a meter that were billed to the trial of its owner. */
export interface FreeUse {
  readonly config_id: string;
  readonly user_id: string;
  readonly newly_free: bigint;
}

/** Bills the unpaid bytes of locked meters, as far as their leases were raised for them; returns what of it the trial pays. */
export async function billUnpaid(tx: Tx, configIds: readonly string[]): Promise<FreeUse[]> {
  const billed = sql`least(m.billed_bytes + m.unpaid_bytes, m.lease_limit_bytes)`;
  const charge = chargeUpTo(billed);
  const result = await sql<FreeUse>`
    UPDATE meter m SET billed_bytes = ${billed}, unpaid_bytes = m.unpaid_bytes - (${billed} - m.billed_bytes),
      unbooked_toman = m.unbooked_toman + ${charge}, hour_charged = m.hour_charged + ${charge},
      unbooked_since = coalesce(m.unbooked_since, CASE WHEN ${charge} > 0 THEN m.hour_start END)
    FROM meter old
    WHERE m.config_id = ANY (${configIds}::uuid[]) AND m.unpaid_bytes > 0 AND old.config_id = m.config_id
    RETURNING m.config_id, m.user_id,
      least(m.billed_bytes, m.trial_bytes) - least(old.billed_bytes, m.trial_bytes) AS newly_free
  `.execute(tx);
  return result.rows;
}

/** Closes these meters: their node is out of service and will report nothing more. */
export async function finishMeters(tx: Tx, configIds: readonly string[]): Promise<void> {
  await sql`UPDATE meter SET final = true WHERE config_id = ANY (${configIds}::uuid[])`.execute(tx);
}

export async function updateGenerations(
  tx: Tx,
  changes: readonly { configId: string; generation: bigint }[],
): Promise<void> {
  await sql`
    UPDATE meter m SET generation = c.generation
    FROM unnest(${changes.map((c) => c.configId)}::uuid[], ${changes.map((c) => String(c.generation))}::bigint[]) AS c (config_id, generation)
    WHERE m.config_id = c.config_id
  `.execute(tx);
}

export async function insertSegments(
  tx: Tx,
  segments: readonly { configId: string; start: bigint; end: bigint; price: bigint; subscriptionId: string | null }[],
): Promise<void> {
  if (segments.length === 0) return;
  await sql`
    INSERT INTO price_segment (config_id, start_byte, end_byte, price, subscription_id) SELECT * FROM unnest(
      ${segments.map((s) => s.configId)}::uuid[], ${segments.map((s) => String(s.start))}::bigint[],
      ${segments.map((s) => String(s.end))}::bigint[], ${segments.map((s) => String(s.price))}::bigint[],
      ${segments.map((s) => s.subscriptionId)}::uuid[]
    )
  `.execute(tx);
}

/** The closed price segments of these configs, in order. */
export async function selectSegments(
  tx: Tx,
  configIds: readonly string[],
): Promise<
  { config_id: string; start_byte: bigint; end_byte: bigint; price: bigint; subscription_id: string | null }[]
> {
  const result = await sql<{
    config_id: string;
    start_byte: bigint;
    end_byte: bigint;
    price: bigint;
    subscription_id: string | null;
  }>`
    SELECT config_id, start_byte, end_byte, price, subscription_id FROM price_segment
    WHERE config_id = ANY (${configIds}::uuid[]) ORDER BY config_id, start_byte
  `.execute(tx);
  return result.rows;
}

/** Deletes the closed segments of each config that start at this byte or after it. */
export async function deleteSegmentsFrom(
  tx: Tx,
  starts: readonly { configId: string; startByte: bigint }[],
): Promise<void> {
  if (starts.length === 0) return;
  await sql`
    DELETE FROM price_segment s USING unnest(
      ${starts.map((s) => s.configId)}::uuid[], ${starts.map((s) => String(s.startByte))}::bigint[]
    ) AS f (config_id, start_byte)
    WHERE s.config_id = f.config_id AND s.start_byte >= f.start_byte
  `.execute(tx);
}

/** Idle meters of a span whose lease is far larger than an idle config needs. */
export async function selectOversizedIdle(
  db: Executor,
  idleBytes: number,
  before: Date,
  limit: number,
  span: Span,
): Promise<string[]> {
  const result = await sql<{ config_id: string }>`
    SELECT config_id FROM meter
    WHERE ${inSpan(span)} AND NOT final AND lease_shrink_to IS NULL AND lease_limit_bytes - billed_bytes > ${idleBytes * 2}
      AND coalesce(last_used_at, sampled_at, '-infinity') < ${before}
    ORDER BY config_id LIMIT ${limit}
  `.execute(db);
  return result.rows.map((row) => row.config_id);
}

/** Toman by node: what the bytes of its leases that have not passed yet cost. Reads every live meter. */
export async function sumLeasedByNode(db: Executor): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ node_id: string; toman: bigint }>`
    SELECT node_id, sum(charge_toman(greatest(lease_limit_bytes - segment_start, 0), segment_price)
      - charge_toman(greatest(billed_bytes - segment_start, 0), segment_price))::bigint AS toman
    FROM meter WHERE NOT final AND lease_limit_bytes > billed_bytes AND segment_price > 0 GROUP BY node_id
  `.execute(db);
  return new Map(rows.map(({ node_id, toman }) => [node_id, toman]));
}

/** Whether a live config of the user has a lease that is of use. */
export async function hasOpenLease(db: Executor, userId: string): Promise<boolean> {
  const result = await sql`
    SELECT FROM meter WHERE user_id = ${userId} AND NOT final AND lease_limit_bytes - billed_bytes >= ${limits.lease.usableBytes} LIMIT 1
  `.execute(db);
  return result.rows.length > 0;
}

export async function countLiveMeters(tx: Tx, userIds: readonly string[]): Promise<Map<string, number>> {
  const result = await sql<{ user_id: string; count: bigint }>`
    SELECT user_id, count(*) AS count FROM meter WHERE user_id = ANY (${userIds}::uuid[]) AND NOT final GROUP BY user_id
  `.execute(tx);
  return new Map(result.rows.map((row) => [row.user_id, Number(row.count)]));
}

/** A config whose meter still runs. */
export interface LiveMeter {
  readonly config_id: string;
  /** It has a replacement and works only until its server retires. */
  readonly is_replaced: boolean;
}

/** The live configs of a user, oldest first (ids are ordered by time). */
export async function listLiveMeters(db: Executor, userId: string): Promise<LiveMeter[]> {
  const result = await sql<LiveMeter>`
    SELECT config_id, is_replaced FROM meter WHERE user_id = ${userId} AND NOT final ORDER BY config_id
  `.execute(db);
  return result.rows;
}

export async function updateMeterLeaving(tx: Tx, configId: string): Promise<void> {
  await sql`UPDATE meter SET is_replaced = true WHERE config_id = ${configId}`.execute(tx);
}

/** Bytes that have passed in segments paid for by subscriptions. */
export async function readPlanUsage(db: Executor, periodIds: readonly string[]): Promise<Map<string, bigint>> {
  if (periodIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; used: bigint }>`
    SELECT id, ${usedOf('wanted.id')} AS used FROM unnest(${periodIds}::uuid[]) AS wanted (id)
  `.execute(db);
  return new Map(rows.map(({ id, used }) => [id, used]));
}

/** The same of one period, for the SQL of another module. */
export const usedOf = (periodId: string) =>
  sql.raw<bigint>(`(
  SELECT coalesce(sum(used), 0)::bigint FROM (
    SELECT greatest(billed_bytes - segment_start, 0) AS used FROM meter WHERE segment_subscription_id = ${periodId}
    UNION ALL
    SELECT greatest(least(m.billed_bytes, s.end_byte) - s.start_byte, 0)
    FROM price_segment s JOIN meter m ON m.config_id = s.config_id WHERE s.subscription_id = ${periodId}
  ) parts)`);

/** The live configs of a user as `listLiveMeters` returns them, as JSON; null if there is none. */
export const liveMetersOf = (userId: string) => sql<readonly LiveMeter[] | null>`(
  SELECT json_agg(json_build_object('config_id', config_id, 'is_replaced', is_replaced) ORDER BY config_id)
  FROM meter WHERE user_id = ${userId} AND NOT final)`;

/** What usage of past hours cost on one meter. */
export interface Due {
  readonly user_id: string;
  /** The Tehran day of the oldest of these hours, as YYYY-MM-DD. */
  readonly day: string;
  readonly due_toman: bigint;
}

/**
 * Takes what usage before `hour` cost and no transfer has booked: of the oldest, at most `limit` meters, in lock order. What the
 * running hour cost stays.
 */
export async function takeUnbooked(tx: Tx, hour: Date, limit: number): Promise<Due[]> {
  const result = await sql<Due>`
    WITH oldest AS MATERIALIZED (
      SELECT config_id FROM meter WHERE unbooked_since < ${hour} ORDER BY unbooked_since LIMIT ${limit}
    ), due AS MATERIALIZED (
      SELECT config_id, unbooked_since, unbooked_toman,
        CASE WHEN hour_start >= ${hour} THEN least(hour_charged, unbooked_toman) ELSE 0 END AS running
      FROM meter WHERE config_id IN (SELECT config_id FROM oldest) AND unbooked_since < ${hour}
      ORDER BY config_id FOR UPDATE
    )
    UPDATE meter m SET due_toman = due.unbooked_toman - due.running, unbooked_toman = due.running,
      unbooked_since = CASE WHEN due.running > 0 THEN ${hour}::timestamptz END
    FROM due WHERE m.config_id = due.config_id
    RETURNING m.user_id, (due.unbooked_since AT TIME ZONE 'Asia/Tehran')::date::text AS day, m.due_toman
  `.execute(tx);
  return result.rows;
}

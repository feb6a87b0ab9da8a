import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';

/** Of the bytes of meter `m` that may still pass, the first that a subscription pays for. */
const payingPeriod = sql`coalesce((
  SELECT s.subscription_id FROM price_segment s
  WHERE s.config_id = m.config_id AND s.end_byte > m.billed_bytes AND s.subscription_id IS NOT NULL ORDER BY s.start_byte LIMIT 1
), m.segment_subscription_id)`;

export interface PayingPeriod {
  readonly config_id: string;
  /** The subscription that pays for the first bytes of the lease for which one does. */
  readonly period_id: string | null;
}

/** The leases that go into a node's desired state. */
export interface DesiredLease {
  readonly config_id: string;
  readonly lease_version: number;
  readonly billed_bytes: bigint;
  /** The lease limit, or the lower limit that the node is asked to confirm. */
  readonly target: bigint;
  /** Bytes counted in the requested epoch. */
  readonly counted: bigint;
  readonly period_id: PayingPeriod['period_id'];
}

/** Leases of a node's configs that changed after a generation, with the bytes counted in an epoch. */
export async function listDesiredLeases(
  db: Executor,
  nodeId: string,
  epoch: string,
  after: bigint,
): Promise<DesiredLease[]> {
  const result = await sql<DesiredLease>`
    SELECT m.config_id, m.lease_version, m.billed_bytes, coalesce(m.lease_shrink_to, m.lease_limit_bytes) AS target, ${payingPeriod} AS period_id,
      CASE WHEN m.epoch = ${epoch} THEN m.epoch_up + m.epoch_down ELSE coalesce(e.up + e.down, 0) END AS counted
    FROM meter m LEFT JOIN meter_epoch e ON e.config_id = m.config_id AND e.epoch = ${epoch}
    WHERE m.node_id = ${nodeId} AND m.generation > ${after} AND NOT m.final
  `.execute(db);
  return result.rows;
}

/** Configs whose last change is in a generation that a node has just applied. */
export async function listAppliedMeters(db: Executor, nodeId: string, before: bigint, upTo: bigint, limit: number) {
  const result = await sql<{ user_id: string; config_id: string; billed_bytes: bigint; lease_limit_bytes: bigint }>`
    SELECT user_id, config_id, billed_bytes, lease_limit_bytes FROM meter
    WHERE node_id = ${nodeId} AND generation > ${before} AND generation <= ${upTo} LIMIT ${limit}
  `.execute(db);
  return result.rows;
}

/** What pays for the leases of these configs as they are now. */
export async function listPayingPeriods(db: Executor, configIds: readonly string[]): Promise<PayingPeriod[]> {
  const { rows } = await sql<PayingPeriod>`
    SELECT m.config_id, ${payingPeriod} AS period_id FROM meter m WHERE m.config_id = ANY (${configIds}::uuid[])
  `.execute(db);
  return rows;
}

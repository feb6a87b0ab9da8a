import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { capLeft } from './cap-tables.ts';

/** The only file that names `tunnel`: which devices are connected to the nodes. It never stores a client address. */
export interface TunnelRow {
  readonly config_id: string;
  readonly connected_since: Date | null;
  readonly last_handshake_at: Date;
  readonly ping_ms: number | null;
}

/** What meters say about the use of configs, with their tunnels, for the SQL of another module. */
export const usageRows = sql`(
  SELECT m.config_id, m.user_id, m.generation AS meter_generation, m.total_up, m.total_down, m.billed_bytes, m.lease_limit_bytes,
    m.segment_start, m.segment_price, m.throughput_up, m.throughput_down, m.sampled_at, m.last_used_at,
    m.cap_bytes, ${capLeft(sql`m`)} AS cap_left,
    m.total_up + m.total_down - m.cap_end_bytes + m.cap_bytes AS month_bytes, t.connected_since, t.last_handshake_at, t.ping_ms AS tunnel_ping_ms
  FROM meter m LEFT JOIN tunnel t ON t.config_id = m.config_id)`;

export interface UsageState {
  readonly meter_generation: bigint;
  readonly total_up: bigint;
  readonly total_down: bigint;
  readonly billed_bytes: bigint;
  readonly lease_limit_bytes: bigint;
  readonly segment_start: bigint;
  readonly segment_price: bigint;
  readonly throughput_up: bigint;
  readonly throughput_down: bigint;
  readonly sampled_at: Date | null;
  readonly last_used_at: Date | null;
  /** The monthly cap, and what it still lets pass; null without one. */
  readonly cap_bytes: bigint | null;
  readonly cap_left: bigint | null;
  /** With a cap: the bytes of this month, which may be more than a cap that was lowered. */
  readonly month_bytes: bigint | null;
  readonly connected_since: Date | null;
  /** Null: no device has ever connected. */
  readonly last_handshake_at: Date | null;
  readonly tunnel_ping_ms: number | null;
}

export async function selectTunnels(db: Executor, configIds: readonly string[]): Promise<TunnelRow[]> {
  const result = await sql<TunnelRow>`
    SELECT config_id, connected_since, last_handshake_at, ping_ms FROM tunnel WHERE config_id = ANY (${configIds}::uuid[])
  `.execute(db);
  return result.rows;
}

export interface TunnelUpdate {
  readonly configId: string;
  readonly connectedSince: Date | null;
  readonly lastHandshakeAt: Date;
  readonly pingMs: number | null;
}

/** Stores the tunnel statuses of a node's own configs. */
export async function upsertTunnels(
  tx: Tx,
  nodeId: string,
  updates: readonly TunnelUpdate[],
): Promise<{ config_id: string; user_id: string }[]> {
  const result = await sql<{ config_id: string; user_id: string }>`
    WITH input AS (
      SELECT * FROM unnest(
        ${updates.map((u) => u.configId)}::uuid[], ${updates.map((u) => u.connectedSince)}::timestamptz[],
        ${updates.map((u) => u.lastHandshakeAt)}::timestamptz[], ${updates.map((u) => u.pingMs && Math.fround(u.pingMs))}::real[]
      ) AS i (config_id, since, handshake, ping)
    ), own AS (
      SELECT i.*, m.user_id FROM input i JOIN meter m ON m.config_id = i.config_id AND m.node_id = ${nodeId}
    ), written AS (
      INSERT INTO tunnel AS t (config_id, connected_since, last_handshake_at, ping_ms)
      SELECT config_id, since, handshake, ping FROM own ORDER BY config_id
      ON CONFLICT (config_id) DO UPDATE
        SET connected_since = excluded.connected_since, last_handshake_at = excluded.last_handshake_at,
            ping_ms = coalesce(excluded.ping_ms, t.ping_ms)
    )
    SELECT config_id, user_id FROM own
  `.execute(tx);
  return result.rows;
}

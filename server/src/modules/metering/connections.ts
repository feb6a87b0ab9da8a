import { limits } from '@raha/contract/limits.ts';
import { sql } from 'kysely';
import { addDays } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';

/**
 * The only file that names `connection`: when devices were connected and how much traffic passed. It never stores a
 * client address.
 */

/**
 * Starts and ends connections in one statement; called only when a tunnel has come up or gone down. If a connection
 * starts while another is open on the same config, the open one ends at its last sign of life, so a lost report loses
 * no connection.
 */
export async function keepConnections(
  tx: Tx,
  changes: readonly { configId: string; connected: boolean; lastSeenAt: Date }[],
  now: Date,
): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    WITH input AS (
      SELECT i.*, m.total_up + m.total_down AS total, m.last_used_at
      FROM unnest(
        ${changes.map((change) => change.configId)}::uuid[], ${changes.map((change) => change.connected)}::boolean[],
        ${changes.map((change) => change.lastSeenAt)}::timestamptz[]
      ) AS i (config_id, connected, seen) JOIN meter m ON m.config_id = i.config_id
    ), ended AS (
      UPDATE connection c SET end_bytes = greatest(c.start_bytes, i.total),
        ended_at = greatest(c.started_at, least(${now}::timestamptz, greatest(i.seen, CASE WHEN i.connected THEN NULL ELSE i.last_used_at END)))
      FROM input i WHERE c.config_id = i.config_id AND c.ended_at IS NULL
      RETURNING c.config_id, c.end_bytes
    )
    INSERT INTO connection (config_id, started_at, start_bytes)
    SELECT i.config_id, ${now}, coalesce(
      (SELECT end_bytes FROM ended e WHERE e.config_id = i.config_id),
      (SELECT end_bytes FROM connection c WHERE c.config_id = i.config_id AND c.ended_at IS NOT NULL ORDER BY c.started_at DESC LIMIT 1), 0)
    -- Only after what was open has ended.
    FROM input i WHERE i.connected AND (SELECT count(*) FROM ended) >= 0
    ON CONFLICT (config_id, started_at) DO NOTHING
  `.execute(tx);
}

export interface ConnectionRow {
  readonly config_id: string;
  readonly node_id: string;
  readonly started_at: Date;
  /** Null while the device is connected. */
  readonly ended_at: Date | null;
  readonly bytes: bigint;
}

/** A tunnel without a sign of life for this long counts as gone, even if no report said so. */
const GONE_SECONDS = limits.connection.handshakeFreshSeconds + 30;

/**
 * Connections of a user's configs, newest first. If the node has gone silent, a connection ends at its last sign of
 * life.
 */
export async function listConnections(
  db: Executor,
  userId: string,
  page: { number: number; size: number },
  now: Date,
): Promise<{ rows: ConnectionRow[]; count: number }> {
  const gone = sql`(c.ended_at IS NULL AND NOT coalesce(
    t.connected_since IS NOT NULL AND t.last_handshake_at > ${now}::timestamptz - make_interval(secs => ${GONE_SECONDS}), false))`;
  const { rows } = await sql<ConnectionRow & { count: bigint }>`
    SELECT c.config_id, m.node_id, c.started_at,
      CASE WHEN ${gone} THEN greatest(c.started_at, t.last_handshake_at, m.last_used_at) ELSE c.ended_at END AS ended_at,
      (coalesce(c.end_bytes, m.total_up + m.total_down) - c.start_bytes)::bigint AS bytes, count(*) OVER () AS count
    FROM meter m JOIN connection c ON c.config_id = m.config_id LEFT JOIN tunnel t ON t.config_id = m.config_id
    WHERE m.user_id = ${userId} AND c.started_at >= ${oldest(now)}
    ORDER BY c.started_at DESC, c.config_id LIMIT ${page.size} OFFSET ${(page.number - 1) * page.size}
  `.execute(db);
  return { rows, count: Number(rows[0]?.count ?? 0n) };
}

export interface LastConnection {
  readonly config_id: string;
  readonly started_at: Date;
  /** Bytes that had passed on the config before this connection. */
  readonly start_bytes: bigint;
}

/** The last connection, open or ended, of each config that ever had one; keyed by config. */
export async function readLastConnections(
  db: Executor,
  configIds: readonly string[],
): Promise<Map<string, LastConnection>> {
  const { rows } = await sql<LastConnection>`
    SELECT c.* FROM unnest(${configIds}::uuid[]) AS wanted (id) CROSS JOIN LATERAL (
      SELECT config_id, started_at, start_bytes FROM connection WHERE config_id = wanted.id ORDER BY started_at DESC LIMIT 1
    ) c
  `.execute(db);
  return new Map(rows.map((row) => [row.config_id, row]));
}

/** How many devices are connected to a node now. */
export async function countConnected(db: Executor, nodeId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    SELECT count(*) AS count FROM meter m JOIN tunnel t ON t.config_id = m.config_id
    WHERE m.node_id = ${nodeId} AND t.connected_since IS NOT NULL
      AND t.last_handshake_at > ${now}::timestamptz - make_interval(secs => ${GONE_SECONDS})
  `.execute(db);
  return Number(rows[0]?.count ?? 0n);
}

/** The same of every node that has some, in one reading of the tunnels that are up. */
export async function countConnectedByNode(db: Executor, now: Date): Promise<Map<string, number>> {
  const { rows } = await sql<{ node_id: string; count: number }>`
    SELECT m.node_id, count(*)::integer AS count FROM meter m JOIN tunnel t ON t.config_id = m.config_id
    WHERE t.connected_since IS NOT NULL AND t.last_handshake_at > ${now}::timestamptz - make_interval(secs => ${GONE_SECONDS})
    GROUP BY m.node_id
  `.execute(db);
  return new Map(rows.map(({ node_id, count }) => [node_id, count]));
}

/** Deletes old connections. The last one of a live config stays, because the next one counts its bytes from there. */
export async function forgetOldConnections(db: Executor, now: Date): Promise<void> {
  await inBatches(
    db,
    (limit) => sql`
      DELETE FROM connection WHERE ctid IN (
        SELECT c.ctid FROM connection c WHERE c.ended_at < ${oldest(now)}
          AND EXISTS (SELECT FROM connection later WHERE later.config_id = c.config_id AND later.started_at > c.started_at)
        LIMIT ${limit})
    `,
  );
  // A connection stays open forever if its node was lost.
  await sql`
    DELETE FROM connection c USING meter m
    WHERE m.config_id = c.config_id AND m.final
      AND (c.ended_at < ${oldest(now)} OR (c.ended_at IS NULL AND c.started_at < ${oldest(now)}))
  `.execute(db);
}

/** Deletes the connections of a deleted user. */
export async function forgetConnections(tx: Tx, userId: string): Promise<void> {
  await sql`
    DELETE FROM connection c USING meter m WHERE m.config_id = c.config_id AND m.user_id = ${userId}
  `.execute(tx);
  await sql`DELETE FROM tunnel t USING meter m WHERE m.config_id = t.config_id AND m.user_id = ${userId}`.execute(tx);
}

function oldest(now: Date): Date {
  return addDays(now, -limits.keptDays.connections);
}

import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';

/** Traffic of nodes and what users were charged for it, from stored hours and the running ones. */
export interface NodeTraffic {
  readonly node_id: string;
  readonly bytes: bigint;
  readonly charged: bigint;
}

/** From `from` on, up to `to` if given. Nodes without traffic are left out. */
export async function sumNodeTraffic(
  db: Executor,
  from: Date,
  to: Date | null,
  nodeIds?: readonly string[],
): Promise<NodeTraffic[]> {
  const ours = nodeIds ? sql`AND m.node_id = ANY (${nodeIds}::uuid[])` : sql``;
  const result = await sql<NodeTraffic>`
    SELECT node_id, sum(bytes)::bigint AS bytes, sum(charged)::bigint AS charged FROM (
      SELECT m.node_id, h.hour, h.up + h.down AS bytes, h.charged_toman AS charged
      FROM usage_hour h JOIN meter m ON m.config_id = h.config_id WHERE h.hour >= ${from} ${ours}
      UNION ALL
      SELECT m.node_id, m.hour_start, m.hour_up + m.hour_down, m.hour_charged FROM meter m
      WHERE m.hour_start >= ${from} ${ours}
    ) passed WHERE ${to}::timestamptz IS NULL OR hour < ${to} GROUP BY node_id
  `.execute(db);
  return result.rows;
}

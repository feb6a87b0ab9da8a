import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';

/** Traffic of nodes and what users were charged for it, from stored hours and the running ones. */
export interface NodeTraffic {
  readonly node_id: string;
  readonly bytes: bigint;
  readonly charged: bigint;
}

/** What passed in the calendar month (UTC), as counted with each report. Nodes without traffic are left out. */
export async function readMonthTraffic(db: Executor, now: Date): Promise<Map<string, bigint>> {
  const result = await sql<{ node_id: string; bytes: bigint }>`
    SELECT node_id, bytes FROM node_month WHERE month = date_trunc('month', ${now}::timestamptz, 'UTC')::date
  `.execute(db);
  return new Map(result.rows.map((row) => [row.node_id, row.bytes]));
}

/** Summed from the hours of every config, for reports: from `from` on, up to `to` if given. Nodes without traffic are left out. */
export async function sumNodeTraffic(db: Executor, from: Date, to: Date | null): Promise<NodeTraffic[]> {
  const result = await sql<NodeTraffic>`
    SELECT node_id, sum(bytes)::bigint AS bytes, sum(charged)::bigint AS charged FROM (
      SELECT m.node_id, h.hour, h.up + h.down AS bytes, h.charged_toman AS charged
      FROM usage_hour h JOIN meter m ON m.config_id = h.config_id WHERE h.hour >= ${from}
      UNION ALL
      SELECT m.node_id, m.hour_start, m.hour_up + m.hour_down, m.hour_charged FROM meter m
      WHERE m.hour_start >= ${from}
    ) passed WHERE ${to}::timestamptz IS NULL OR hour < ${to} GROUP BY node_id
  `.execute(db);
  return result.rows;
}

import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';

/** The only file that names `node_anomaly`. */

/**
 * `cloned`: two reports with the same number, from a copied or rolled-back machine. `foreign_configs`: it reported
 * configs of another node. `beyond_lease`: it reported more bytes than its lease allowed. `unknown_leases`: it has leases that were
 * never granted here. `beyond_link`: it used up more leases than its
 * link can have carried in the time. `impossible_numbers`: what nobody can have measured. `former_machine`: a replaced machine still sends requests. None of them moves
 * money; all deserve a look.
 */
export const anomalyKinds = [
  'cloned',
  'foreign_configs',
  'beyond_lease',
  'unknown_leases',
  'beyond_link',
  'impossible_numbers',
  'former_machine',
] as const;
export type AnomalyKind = (typeof anomalyKinds)[number];

export interface Anomaly {
  readonly node_id: string;
  readonly kind: AnomalyKind;
  readonly occurrences: bigint;
  readonly last_at: Date;
}

export async function noteAnomaly(db: Executor, nodeId: string, kind: AnomalyKind, now: Date): Promise<void> {
  await sql`
    INSERT INTO node_anomaly AS s (node_id, kind, occurrences, last_at) VALUES (${nodeId}, ${kind}, 1, ${now})
    ON CONFLICT (node_id, kind) DO UPDATE SET occurrences = s.occurrences + 1, last_at = excluded.last_at
  `.execute(db);
}

export async function listAnomalies(db: Executor): Promise<Anomaly[]> {
  return (await sql<Anomaly>`SELECT node_id, kind, occurrences, last_at FROM node_anomaly ORDER BY kind`.execute(db))
    .rows;
}

/** Deletes a node's anomalies after the operator has looked into them. */
export async function forgetAnomalies(db: Executor, nodeId: string): Promise<void> {
  await sql`DELETE FROM node_anomaly WHERE node_id = ${nodeId}`.execute(db);
}

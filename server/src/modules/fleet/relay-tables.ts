import type { RelayHealth } from '@raha/contract/node/protocol.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names `relay`. */
export interface RelayRow {
  readonly id: string;
  readonly name: string;
  readonly node_id: string;
  /** Where devices reach it, and to where it forwards them. */
  readonly address4: string | null;
  readonly address6: string | null;
  readonly exit4: string | null;
  readonly exit6: string | null;
  readonly created_at: Date;
  /** When its node last tried it, and when that last came back. */
  readonly tried_at: Date | null;
  readonly heard4_at: Date | null;
  readonly heard6_at: Date | null;
  readonly round_trip_ms: number | null;
}

export async function selectRelays(db: Executor): Promise<RelayRow[]> {
  return (await sql<RelayRow>`SELECT * FROM relay ORDER BY created_at, id`.execute(db)).rows;
}

export async function selectRelaysOf(db: Executor, nodeId: string): Promise<RelayRow[]> {
  return (await sql<RelayRow>`SELECT * FROM relay WHERE node_id = ${nodeId} ORDER BY created_at, id`.execute(db)).rows;
}

export async function selectRelayByName(db: Executor, name: string): Promise<RelayRow | undefined> {
  return (await sql<RelayRow>`SELECT * FROM relay WHERE name = ${name}`.execute(db)).rows[0];
}

/** One relay is added at a time, so that two of one name or address see each other. */
export async function lockRelayNames(tx: Tx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('relay'))`.execute(tx);
}

export type NewRelay = Omit<RelayRow, 'tried_at' | 'heard4_at' | 'heard6_at' | 'round_trip_ms'>;

export async function insertRelay(tx: Tx, relay: NewRelay): Promise<void> {
  await sql`
    INSERT INTO relay (id, name, node_id, address4, address6, exit4, exit6, created_at)
    VALUES (${relay.id}, ${relay.name}, ${relay.node_id}, ${relay.address4}, ${relay.address6}, ${relay.exit4}, ${relay.exit6},
      ${relay.created_at})
  `.execute(tx);
}

export async function deleteRelay(tx: Tx, id: string): Promise<void> {
  await sql`DELETE FROM relay WHERE id = ${id}`.execute(tx);
}

/** What a node has measured of its own relays; of others nothing is written. */
export async function updateRelayHealth(
  tx: Tx,
  nodeId: string,
  measured: readonly RelayHealth[],
  now: Date,
): Promise<void> {
  const columns = [
    measured.map(({ relay }) => relay),
    measured.map(({ family }) => family),
    measured.map(({ roundTripMs }) => roundTripMs),
  ];
  await sql`
    UPDATE relay r SET tried_at = ${now},
      heard4_at = CASE WHEN m.ms4 IS NULL THEN r.heard4_at ELSE ${now} END,
      heard6_at = CASE WHEN m.ms6 IS NULL THEN r.heard6_at ELSE ${now} END,
      round_trip_ms = coalesce(m.ms4, m.ms6, r.round_trip_ms)
    FROM (
      SELECT relay, min(ms) FILTER (WHERE family = 4) AS ms4, min(ms) FILTER (WHERE family = 6) AS ms6
      FROM unnest(${columns[0]}::uuid[], ${columns[1]}::integer[], ${columns[2]}::real[]) AS i (relay, family, ms) GROUP BY relay
    ) m
    WHERE r.id = m.relay AND r.node_id = ${nodeId}
  `.execute(tx);
}

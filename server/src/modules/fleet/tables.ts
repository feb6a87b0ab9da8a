import type { ProxyState } from '@raha/contract/node/openvpn-settings.ts';
import type { WireguardBackendName } from '@raha/contract/node/protocol.ts';
import type { ReleaseRefusal } from '@raha/contract/node/release.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** With `health-tables.ts` and `way-tables.ts` the only file that names node, node_enrolment, node_presence, node_epoch and free_slot. */
export interface NodeRow {
  readonly id: string;
  readonly name: string;
  readonly country: string;
  readonly city: string;
  readonly address: string | null;
  readonly wireguard_port: number;
  readonly openvpn_port: number;
  /** `host:port` of the website beside which it should serve OpenVPN over TCP; null: not over TCP. */
  readonly openvpn_tcp_website: string | null;
  /** Where it should serve OpenConnect; null: not at all. */
  readonly openconnect_port: number | null;
  /** Whether over UDP as well. */
  readonly openconnect_udp: boolean;
  /** The address of the operator's website at which it should serve the proxy; null: not at all. */
  readonly proxy_url: string | null;
  readonly status: NodeStatus;
  /** For a retired node: when its configs end and where they move; null: to the best server. */
  readonly retires_at: Date | null;
  readonly moves_to: string | null;
  readonly monthly_cap_gb: number | null;
  readonly cost_usd_micros_per_gb: bigint | null;
  /** Set while the provider's monthly traffic is used up. */
  readonly capped_until: Date | null;
  /** The agent that the operator wants there, SHA-256 in hex; null: any. */
  readonly desired_agent_sha256: string | null;
  readonly generation: bigint;
  /** A node that has applied less gets the complete state. */
  readonly snapshot_below: bigint;
  readonly registration: number;
  readonly signing_key: string | null;
  /** Of the registration before this one. */
  readonly former_signing_key: string | null;
  readonly wireguard_public_key: string | null;
  readonly epoch: string | null;
  readonly seen_at: Date | null;
  readonly applied_generation: bigint | null;
  readonly load: number | null;
  readonly tunnels_up: boolean | null;
  readonly ping_ms: number | null;
  readonly pinged_at: Date | null;
  readonly polled_at: Date | null;
  readonly exit_ipv4: string | null;
  readonly exit_ipv6: string | null;
  /** The protocols it reports; null: it has never reported. */
  readonly protocols: readonly string[] | null;
  readonly agent_version: string | null;
  readonly release_refusal: ReleaseRefusal | null;
  readonly clock_offset_ms: number | null;
  readonly disk_free_bytes: bigint | null;
  readonly disk_total_bytes: bigint | null;
  /** Ports at which it accepts WireGuard beside its own; null: it has not said so. */
  readonly wireguard_ports: readonly number[] | null;
  /** Where its WireGuard runs; null: it has not said so. */
  readonly wireguard_backend: WireguardBackendName | null;
  /** Whether it serves OpenVPN over TCP; null: it has not said so. */
  readonly openvpn_tcp: boolean | null;
  /** Whether it serves OpenConnect; null: it has not said so. */
  readonly openconnect: boolean | null;
  /** How it is with the proxy; null: it has not said so. */
  readonly proxy: ProxyState | null;
  /** Names on its block list. */
  readonly block_list_names: number | null;
}
export type NodeStatus = 'active' | 'inactive' | 'draining' | 'retired' | 'revoked';

const selectNodes = sql.raw(`
  SELECT n.id, n.name, n.country, n.city, n.address, n.wireguard_port, n.openvpn_port, n.openvpn_tcp_website, n.openconnect_port, n.openconnect_udp, n.proxy_url, n.status, n.generation, n.snapshot_below,
    n.registration, n.signing_key, n.former_signing_key, n.wireguard_public_key, n.epoch, p.seen_at, p.applied_generation, p.load,
    p.tunnels_up, p.protocols, p.ping_ms, p.pinged_at, p.polled_at, p.exit_ipv4, p.exit_ipv6, p.agent_version, p.release_refusal,
    p.clock_offset_ms, p.disk_free_bytes, p.disk_total_bytes, p.block_list_names, p.wireguard_ports, p.wireguard_backend, p.openvpn_tcp, p.openconnect, p.proxy, n.retires_at, n.moves_to, n.monthly_cap_gb,
    n.cost_usd_micros_per_gb, n.capped_until, n.desired_agent_sha256
  FROM node n LEFT JOIN node_presence p ON p.node_id = n.id
`);

/** What users see of a node. */
export type ShownNode = Pick<
  NodeRow,
  | 'id'
  | 'name'
  | 'country'
  | 'city'
  | 'status'
  | 'wireguard_public_key'
  | 'capped_until'
  | 'seen_at'
  | 'applied_generation'
  | 'load'
  | 'tunnels_up'
  | 'protocols'
  | 'wireguard_ports'
  | 'address'
  | 'openconnect_port'
  | 'openconnect'
  | 'proxy_url'
  | 'proxy'
  | 'ping_ms'
  | 'pinged_at'
>;

/** `ShownNode`s, and when they were added, for the SQL of another module. */
export const shownNodes = sql.raw(`(
  SELECT n.created_at AS added_at, n.id, n.name, n.country, n.city, n.status, n.wireguard_public_key, n.capped_until,
    p.seen_at, p.applied_generation, p.load, p.tunnels_up, p.protocols, p.wireguard_ports, p.ping_ms, p.pinged_at,
    n.address, n.openconnect_port, p.openconnect, n.proxy_url, p.proxy
  FROM node n LEFT JOIN node_presence p ON p.node_id = n.id)`);

export async function selectNode(db: Executor, id: string): Promise<NodeRow | undefined> {
  return (await sql<NodeRow>`${selectNodes} WHERE n.id = ${id}`.execute(db)).rows[0];
}

export async function selectNodeByName(db: Executor, name: string): Promise<NodeRow | undefined> {
  return (await sql<NodeRow>`${selectNodes} WHERE n.name = ${name}`.execute(db)).rows[0];
}

export async function selectAllNodes(db: Executor): Promise<NodeRow[]> {
  return (await sql<NodeRow>`${selectNodes} ORDER BY n.created_at, n.id`.execute(db)).rows;
}

export async function insertNode(
  tx: Tx,
  node: {
    id: string;
    name: string;
    country: string;
    city: string;
    address: string | null;
    port: number;
    openvpnPort: number;
    addressLimit: number;
  },
  now: Date,
): Promise<void> {
  await sql`
    INSERT INTO node (id, name, country, city, address, wireguard_port, openvpn_port, address_limit, created_at)
    VALUES (${node.id}, ${node.name}, ${node.country}, ${node.city}, ${node.address}, ${node.port}, ${node.openvpnPort},
      ${node.addressLimit}, ${now})
  `.execute(tx);
}

export async function insertEnrolment(
  tx: Tx,
  enrolment: { tokenHash: Buffer; nodeId: string; expiresAt: Date },
): Promise<void> {
  await sql`DELETE FROM node_enrolment WHERE node_id = ${enrolment.nodeId} AND used_at IS NULL`.execute(tx);
  await sql`
    INSERT INTO node_enrolment (token_hash, node_id, expires_at) VALUES (${enrolment.tokenHash}, ${enrolment.nodeId}, ${enrolment.expiresAt})
  `.execute(tx);
}

/** Consumes a token. Of several concurrent callers, one gets the node. */
export async function takeEnrolment(tx: Tx, tokenHash: Buffer, now: Date): Promise<string | undefined> {
  const result = await sql<{ node_id: string }>`
    UPDATE node_enrolment SET used_at = ${now} WHERE token_hash = ${tokenHash} AND used_at IS NULL AND expires_at > ${now}
    RETURNING node_id
  `.execute(tx);
  return result.rows[0]?.node_id;
}

/** The registration that this key already got with this token, for an agent that missed the answer. */
export async function selectEnrolled(tx: Tx, tokenHash: Buffer, signingKey: string, now: Date) {
  const result = await sql<{ node_id: string; registration: number; wireguard_port: number }>`
    SELECT n.id AS node_id, n.registration, n.wireguard_port FROM node_enrolment e JOIN node n ON n.id = e.node_id
    WHERE e.token_hash = ${tokenHash} AND e.used_at IS NOT NULL AND e.expires_at > ${now}
      AND n.signing_key = ${signingKey} AND n.status <> 'revoked'
  `.execute(tx);
  return result.rows[0];
}

export async function updateRegistered(
  tx: Tx,
  id: string,
  registration: { signingKey: string; wireguardPublicKey: string; address: string },
): Promise<{ registration: number; wireguard_port: number } | undefined> {
  const result = await sql<{ registration: number; wireguard_port: number }>`
    UPDATE node SET registration = registration + 1, generation = generation + 1,
      former_signing_key = signing_key, signing_key = ${registration.signingKey}, desired_agent_sha256 = NULL,
      wireguard_public_key = ${registration.wireguardPublicKey}, address = coalesce(address, ${registration.address})
    WHERE id = ${id} AND status <> 'revoked'
    RETURNING registration, wireguard_port
  `.execute(tx);
  return result.rows[0];
}

export async function updateStatus(
  db: Executor,
  id: string,
  status: NodeStatus,
  leaving: { readonly retiresAt: Date; readonly movesTo: string | null } | undefined,
): Promise<void> {
  await sql`
    UPDATE node SET status = ${status}, retires_at = ${leaving?.retiresAt ?? null}, moves_to = ${leaving?.movesTo ?? null}
    WHERE id = ${id}
  `.execute(db);
}

export async function updateTerms(
  db: Executor,
  id: string,
  terms: { readonly monthlyCapGb: number | null; readonly costUsdMicrosPerGb: bigint | null },
): Promise<void> {
  await sql`
    UPDATE node SET monthly_cap_gb = ${terms.monthlyCapGb}, cost_usd_micros_per_gb = ${terms.costUsdMicrosPerGb},
      capped_until = NULL
    WHERE id = ${id}
  `.execute(db);
}

export async function updateDesiredAgent(tx: Tx, id: string, sha256: string): Promise<void> {
  await sql`UPDATE node SET desired_agent_sha256 = ${sha256} WHERE id = ${id}`.execute(tx);
}

export async function updateCapped(db: Executor, id: string, until: Date | null): Promise<void> {
  await sql`UPDATE node SET capped_until = ${until} WHERE id = ${id}`.execute(db);
}

/**
 * The next generation of a node's desired state. Taken last in a transaction: the row stays locked until commit, so
 * generations become visible in order.
 */
export async function raiseGeneration(tx: Tx, nodeId: string): Promise<bigint> {
  const result = await sql<{ generation: bigint }>`
    UPDATE node SET generation = generation + 1 WHERE id = ${nodeId} RETURNING generation
  `.execute(tx);
  const row = result.rows[0];
  if (!row) throw new Error(`node ${nodeId} does not exist`);
  return row.generation;
}

/** Raises the generations of several nodes, locked in id order. */
export async function raiseGenerations(tx: Tx, nodeIds: readonly string[]): Promise<Map<string, bigint>> {
  const result = await sql<{ id: string; generation: bigint }>`
    WITH locked AS MATERIALIZED (SELECT id FROM node WHERE id = ANY (${nodeIds}::uuid[]) ORDER BY id FOR NO KEY UPDATE)
    UPDATE node n SET generation = n.generation + 1 FROM locked WHERE n.id = locked.id RETURNING n.id, n.generation
  `.execute(tx);
  return new Map(result.rows.map((row) => [row.id, row.generation]));
}

/**
 * Makes every node take the complete state at its next poll, until it has acknowledged it. `ahead` is more than any node can have applied
 * beyond the generation that is known here.
 */
export async function updateSnapshots(db: Executor, ahead: number): Promise<void> {
  await sql`UPDATE node SET generation = generation + ${ahead}, snapshot_below = generation + ${ahead}`.execute(db);
}

/** A free slot and the generation in which it comes into use; undefined if the node is full. */
export async function takeSlot(
  tx: Tx,
  nodeId: string,
  freedBefore: Date,
): Promise<{ slot: number; generation: bigint; epoch: string | null } | undefined> {
  const freed = await sql<{ slot: number }>`
    DELETE FROM free_slot WHERE (node_id, slot) = (
      SELECT node_id, slot FROM free_slot WHERE node_id = ${nodeId} AND freed_at <= ${freedBefore} ORDER BY slot LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING slot
  `.execute(tx);
  const reused = freed.rows[0]?.slot;
  const result = await sql<{ slot: number; generation: bigint; epoch: string | null }>`
    UPDATE node SET generation = generation + 1, next_slot = next_slot + ${reused === undefined ? 1 : 0}
    WHERE id = ${nodeId} AND (${reused !== undefined} OR next_slot < 2 + address_limit)
    RETURNING next_slot - 1 AS slot, generation, epoch
  `.execute(tx);
  const row = result.rows[0];
  return row && { ...row, slot: reused ?? row.slot };
}

/** By node: slots that no config has, and the upper bound of bytes that its agent did not bill. */
export async function selectFreeSlots(
  db: Executor,
): Promise<Map<string, { readonly free: number; readonly unmetered: number }>> {
  const { rows } = await sql<{ id: string; free: number; unmetered: bigint }>`
    SELECT n.id, coalesce(p.unmetered_upper_bound_bytes, 0) AS unmetered, greatest(0, 2 + n.address_limit - n.next_slot)
      + (SELECT count(*) FROM free_slot f WHERE f.node_id = n.id)::integer AS free
    FROM node n LEFT JOIN node_presence p ON p.node_id = n.id
  `.execute(db);
  return new Map(rows.map(({ id, free, unmetered }) => [id, { free, unmetered: Number(unmetered) }]));
}

export async function insertFreeSlot(tx: Tx, nodeId: string, slot: number, now: Date): Promise<void> {
  await sql`INSERT INTO free_slot (node_id, slot, freed_at) VALUES (${nodeId}, ${slot}, ${now}) ON CONFLICT DO NOTHING`.execute(
    tx,
  );
}

export async function updateEpoch(tx: Executor, nodeId: string, epoch: string): Promise<void> {
  await sql`UPDATE node SET epoch = ${epoch} WHERE id = ${nodeId} AND epoch IS DISTINCT FROM ${epoch}`.execute(tx);
}

export interface EpochRow {
  readonly last_seq: bigint;
  readonly last_hash: string;
}

/** Locks the epoch's row, creating it if new: reports of one node and epoch are handled one after the other. */
export async function lockEpoch(tx: Tx, nodeId: string, epoch: string): Promise<EpochRow> {
  await sql`
    INSERT INTO node_epoch (node_id, epoch, last_seq, last_hash) VALUES (${nodeId}, ${epoch}, 0, '') ON CONFLICT DO NOTHING
  `.execute(tx);
  const result = await sql<EpochRow>`
    SELECT last_seq, last_hash FROM node_epoch WHERE node_id = ${nodeId} AND epoch = ${epoch} FOR UPDATE
  `.execute(tx);
  return result.rows[0] as EpochRow;
}

export async function updateEpochSeq(tx: Tx, nodeId: string, epoch: string, seq: number, hash: string): Promise<void> {
  await sql`
    UPDATE node_epoch SET last_seq = ${seq}, last_hash = ${hash} WHERE node_id = ${nodeId} AND epoch = ${epoch}
  `.execute(tx);
}

export async function upsertSeen(
  db: Executor,
  nodeId: string,
  appliedGeneration: number,
  now: Date,
): Promise<{ applied_before: bigint }> {
  const result = await sql<{ applied_before: bigint }>`
    WITH before AS (SELECT applied_generation FROM node_presence WHERE node_id = ${nodeId})
    INSERT INTO node_presence AS p (node_id, seen_at, polled_at, applied_generation) VALUES (${nodeId}, ${now}, ${now}, ${appliedGeneration})
    ON CONFLICT (node_id) DO UPDATE
      SET seen_at = excluded.seen_at, polled_at = excluded.polled_at, applied_generation = excluded.applied_generation
    RETURNING coalesce((SELECT applied_generation FROM before), -1)::bigint AS applied_before
  `.execute(db);
  return result.rows[0] as { applied_before: bigint };
}

/**
 * Counts reported bytes against what the node's link can have carried by our clock, and returns by how much they are
 * ahead of it. The row stays locked: reports of one node are counted one after the other, whatever their epochs.
 */
export async function upsertAhead(
  tx: Tx,
  nodeId: string,
  returned: bigint,
  linkBytesPerSecond: bigint,
  now: Date,
): Promise<bigint> {
  const carried = sql`(${linkBytesPerSecond}::bigint * least(greatest(extract(epoch FROM ${now}::timestamptz - p.ahead_of_link_at), 0), 86400))::bigint`;
  const result = await sql<{ ahead_of_link_bytes: bigint }>`
    INSERT INTO node_presence AS p (node_id, seen_at, ahead_of_link_bytes, ahead_of_link_at) VALUES (${nodeId}, ${now}, 0, ${now})
    ON CONFLICT (node_id) DO UPDATE
      SET ahead_of_link_bytes = greatest(p.ahead_of_link_bytes - coalesce(${carried}, 0) - ${returned}, 0), ahead_of_link_at = excluded.ahead_of_link_at
    RETURNING ahead_of_link_bytes
  `.execute(tx);
  return result.rows[0]?.ahead_of_link_bytes ?? 0n;
}

export async function updateAhead(tx: Tx, nodeId: string, granted: bigint): Promise<void> {
  await sql`
    UPDATE node_presence SET ahead_of_link_bytes = ahead_of_link_bytes + ${granted} WHERE node_id = ${nodeId}
  `.execute(tx);
}

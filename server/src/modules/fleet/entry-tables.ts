import type { Transport } from '@raha/contract/protocols.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import type { RelayRow } from './relay-tables.ts';

/** The only file that names `entry_block` and `entry_name`. */
export interface BlockRow {
  readonly id: string;
  readonly node_id: string;
  /** Null: the node's own address. */
  readonly relay_id: string | null;
  readonly began_at: Date;
  readonly notified_at: Date | null;
  readonly by_rule: boolean;
  /** A member of staff; null: the command line, or the rule. */
  readonly blocked_by: string | null;
  readonly reason: string | null;
  /** What the rule saw. */
  readonly evidence: BlockEvidence | null;
}

/** Numbers of the rule of decision 132: of a hundred, here and at another entry. */
export interface BlockEvidence {
  readonly network: number;
  readonly transport: Transport;
  readonly kind: 'unanswered' | 'silent';
  readonly percent: number;
  readonly of: number;
  readonly elsewhere: number;
}

export async function selectBlocks(db: Executor): Promise<BlockRow[]> {
  const { rows } = await sql<BlockRow>`
    SELECT id, node_id, relay_id, began_at, notified_at, by_rule, blocked_by, reason, evidence FROM entry_block WHERE ended_at IS NULL ORDER BY began_at, id
  `.execute(db);
  return rows;
}

/** What decides at which hosts devices find a node. */
export interface EntriesRow {
  readonly relays: readonly RelayRow[];
  readonly blocks: readonly { readonly relay_id: string | null }[];
  /** If it leads somewhere. */
  readonly name: string | undefined;
}

interface EntryRow extends RelayRow {
  readonly entry_of: string;
  readonly is_blocked: boolean;
  readonly is_node_blocked: boolean;
  readonly entry_name: string | null;
}

/** By node, in one statement, because each file asks for it. */
export async function selectEntries(db: Executor, nodeIds: readonly string[]): Promise<Map<string, EntriesRow>> {
  const standing = sql`FROM entry_block WHERE node_id = n.id AND ended_at IS NULL`;
  const { rows } = await sql<EntryRow>`
    SELECT n.id AS entry_of, r.*, EXISTS (SELECT 1 ${standing} AND relay_id = r.id) AS is_blocked,
      EXISTS (SELECT 1 ${standing} AND relay_id IS NULL) AS is_node_blocked,
      (SELECT name FROM entry_name WHERE node_id = n.id AND addresses <> '{}') AS entry_name
    FROM unnest(${nodeIds}::uuid[]) AS n (id) LEFT JOIN relay r ON r.node_id = n.id ORDER BY r.created_at, r.id
  `.execute(db);
  return new Map([...Map.groupBy(rows, (row) => row.entry_of)].map(([id, own]) => [id, entriesOf(own)]));
}

function entriesOf(rows: readonly EntryRow[]): EntriesRow {
  return {
    relays: rows.filter(({ id }) => id !== null),
    blocks: [
      ...rows.filter(({ is_blocked }) => is_blocked).map(({ id }) => ({ relay_id: id })),
      ...(rows[0]?.is_node_blocked ? [{ relay_id: null }] : []),
    ],
    name: rows[0]?.entry_name ?? undefined,
  };
}

/** False if the entry is blocked already. */
export async function insertBlock(tx: Tx, block: Omit<BlockRow, 'notified_at'>): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO entry_block (id, node_id, relay_id, began_at, by_rule, blocked_by, reason, evidence)
    VALUES (${block.id}, ${block.node_id}, ${block.relay_id}, ${block.began_at}, ${block.by_rule}, ${block.blocked_by}, ${block.reason},
      ${block.evidence === null ? null : JSON.stringify(block.evidence)}::jsonb)
    ON CONFLICT DO NOTHING
  `.execute(tx);
  return numAffectedRows === 1n;
}

/** False if the entry is not blocked. */
export async function endBlock(tx: Tx, nodeId: string, relayId: string | null, now: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE entry_block SET ended_at = ${now}
    WHERE node_id = ${nodeId} AND relay_id IS NOT DISTINCT FROM ${relayId}::uuid AND ended_at IS NULL
  `.execute(tx);
  return numAffectedRows === 1n;
}

export async function updateNotified(db: Executor, id: string, now: Date): Promise<void> {
  await sql`UPDATE entry_block SET notified_at = ${now} WHERE id = ${id}`.execute(db);
}

export interface NameRow {
  readonly node_id: string;
  readonly name: string;
  readonly addresses: readonly string[];
  readonly published_at: Date;
}

export async function selectNames(db: Executor): Promise<NameRow[]> {
  return (await sql<NameRow>`SELECT * FROM entry_name`.execute(db)).rows;
}

export async function selectNameOf(db: Executor, nodeId: string): Promise<NameRow | undefined> {
  return (await sql<NameRow>`SELECT * FROM entry_name WHERE node_id = ${nodeId}`.execute(db)).rows[0];
}

export async function upsertName(db: Executor, row: NameRow): Promise<void> {
  await sql`
    INSERT INTO entry_name (node_id, name, addresses, published_at)
    VALUES (${row.node_id}, ${row.name}, ${row.addresses}::text[], ${row.published_at})
    ON CONFLICT (node_id) DO UPDATE
      SET name = excluded.name, addresses = excluded.addresses, published_at = excluded.published_at
  `.execute(db);
}

export async function deleteName(db: Executor, nodeId: string): Promise<void> {
  await sql`DELETE FROM entry_name WHERE node_id = ${nodeId}`.execute(db);
}

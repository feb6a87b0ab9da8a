import type { Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { listOpenconnectNames } from './certificate-authority.ts';
import { entryHosts, openAddresses } from './choose-entries.ts';
import {
  type BlockEvidence,
  type BlockRow,
  deleteName,
  endBlock,
  insertBlock,
  type NameRow,
  selectBlocks,
  selectEntries,
  selectNames,
  updateNotified,
  upsertName,
} from './entry-tables.ts';
import { getUnrevokedNode } from './get-node.ts';
import type { NodeOrder } from './operator-order.ts';
import { selectRelays } from './relay-tables.ts';

export type EntryBlock = BlockRow;
export type EntryName = NameRow;
export type { BlockEvidence } from './entry-tables.ts';
export const listBlocks = selectBlocks;
export const listEntryNames = selectNames;
export const keepEntryName = upsertName;
export const forgetEntryName = deleteName;
export const noteNotified = updateNotified;

/** An entry of a node: one of its relays, or its own address. */
export interface Entry {
  readonly nodeId: string;
  /** Null: the node's own address. */
  readonly relayId: string | null;
}

interface BlockDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

export interface EntryOrder extends Omit<NodeOrder, 'nodeId'> {
  readonly entry: Entry;
}

/**
 * Networks block the entry: new files and the name do without it, and users are notified. With evidence the rule did it. Refuses one that
 * is blocked already.
 */
export async function blockEntry(
  deps: BlockDeps,
  { actor, entry, reason, stillMay }: EntryOrder,
  evidence?: BlockEvidence,
): Promise<void> {
  await getUnrevokedNode(deps.db, entry.nodeId);
  await requireRelay(deps.db, entry);
  const now = deps.clock.now();
  await inTransaction(deps.db, async (tx) => {
    await stillMay?.(tx);
    const block = {
      ...{ id: newId(now), node_id: entry.nodeId, relay_id: entry.relayId, began_at: now },
      ...{ by_rule: evidence !== undefined, evidence: evidence ?? null },
      ...{ blocked_by: actor.kind === 'staff' ? actor.userId : null, reason: reason ?? null },
    };
    if (!(await insertBlock(tx, block))) throw new OperatorMistake('conflict', 'It is blocked already.');
    await deps.audit.record(tx, actor, {
      ...{ action: 'entries.block', target: targetOf(entry), reason },
      ...(evidence ? { details: { ...evidence } } : {}),
    });
  });
}

/** Networks let it through again. Refuses one that is not blocked. */
export async function unblockEntry(deps: BlockDeps, { actor, entry, reason, stillMay }: EntryOrder): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await stillMay?.(tx);
    if (!(await endBlock(tx, entry.nodeId, entry.relayId, deps.clock.now())))
      throw new OperatorMistake('conflict', 'It is not blocked.');
    await deps.audit.record(tx, actor, { action: 'entries.unblock', target: targetOf(entry), reason });
  });
}

/** A relay belongs to one node. */
async function requireRelay(db: Executor, { nodeId, relayId }: Entry): Promise<void> {
  if (relayId === null) return;
  const relay = (await selectRelays(db)).find(({ id }) => id === relayId);
  if (relay?.node_id !== nodeId) throw new OperatorMistake('not-found', 'The node has no such relay.');
}

function targetOf({ nodeId, relayId }: Entry) {
  return relayId === null ? ({ kind: 'node', id: nodeId } as const) : ({ kind: 'relay', id: relayId } as const);
}

/**
 * Where a device finds its node, the first host first: the name of the node's entries if it has one, then addresses: its relays that
 * work, then its own. What is blocked is left out, unless nothing else is there.
 */
export async function listEntryHosts(
  db: Executor,
  node: { readonly id: string; readonly address: string },
  configId: string,
): Promise<[string, ...string[]]> {
  const entries = (await selectEntries(db, [node.id])).get(node.id) ?? { relays: [], blocks: [] };
  return entryHosts({ node, ...entries }, configId);
}

/**
 * The same for OpenConnect, by config: one host, since its file names one, of those that its certificate has. It gets the names of new
 * relays as they are added, and that of the node's entries when the agent asks next.
 */
export async function listOpenconnectHosts(
  db: Executor,
  configs: readonly { readonly configId: string; readonly node: { readonly id: string; readonly address: string } }[],
): Promise<Map<string, string>> {
  if (configs.length === 0) return new Map();
  const nodeIds = [...new Set(configs.map(({ node }) => node.id))];
  const entries = await selectEntries(db, nodeIds);
  const certified = await listOpenconnectNames(db, nodeIds);
  return new Map(
    configs.map(({ configId, node }) => {
      const hosts = entryHosts({ node, ...(entries.get(node.id) ?? { relays: [], blocks: [] }) }, configId);
      const names = certified.get(node.id) ?? [];
      return [configId, hosts.find((host) => names.includes(host)) ?? node.address];
    }),
  );
}

/** To which addresses the names of nodes lead now, by node; none if all of a node's entries are blocked. */
export async function listOpenAddresses(
  db: Executor,
  nodes: readonly { readonly id: string; readonly address: string | null }[],
): Promise<Map<string, string[]>> {
  const relays = Map.groupBy(await selectRelays(db), (relay) => relay.node_id);
  const blocks = Map.groupBy(await selectBlocks(db), (block) => block.node_id);
  return new Map(
    nodes.flatMap(({ id, address }) => {
      if (address === null) return [];
      const entries = { node: { address }, relays: relays.get(id) ?? [], blocks: blocks.get(id) ?? [] };
      return [[id, openAddresses(entries)] as const];
    }),
  );
}

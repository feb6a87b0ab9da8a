import type { EntryLine, EntryState, NodeEntries } from '@raha/contract/admin/entries.ts';
import type { NetworkOperator } from '@raha/contract/public/reach.ts';
import type { Executor } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import { getUsers } from '../accounts/users.ts';
import { relayState } from '../fleet/choose-entries.ts';
import { type EntryBlock, listBlocks, listEntryNames } from '../fleet/entries.ts';
import { listNodes } from '../fleet/nodes.ts';
import { listRelays, type Relay } from '../fleet/relays.ts';
import { reachNetworks } from '../reach/settings.ts';

/** Every server that is served, with its relays and its own address, in the order in which files name them. */
export async function describeEntries(db: Executor): Promise<NodeEntries[]> {
  const [nodes, relays] = [await listNodes(db), await listRelays(db)];
  const [blocks, names] = [await listBlocks(db), await listEntryNames(db)];
  const operators = await getSetting(db, reachNetworks);
  const by = blocks.flatMap(({ blocked_by: id }) => (id === null ? [] : [id]));
  const users = await getUsers(db, [...new Set(by)]);
  const describeBlock = (nodeId: string, relayId: string | null): EntryLine['block'] => {
    const block = blocks.find(({ node_id, relay_id }) => node_id === nodeId && relay_id === relayId);
    return block
      ? blockOf(block, block.blocked_by === null ? null : users.get(block.blocked_by)?.email, operators)
      : null;
  };
  return nodes
    .filter(({ status }) => status !== 'revoked')
    .map((node) => {
      const name = names.find(({ node_id }) => node_id === node.id);
      const own = relays.filter(({ node_id }) => node_id === node.id);
      const lines = own.map((relay) => lineOf(relay, describeBlock(node.id, relay.id), name?.addresses ?? []));
      const block = describeBlock(node.id, null);
      const direct = {
        ...{ relay: null, addresses: node.address === null ? [] : [{ address: node.address, state: null }] },
        ...{ round_trip_ms: null, tried_at: null, block },
        in_name: node.address !== null && (name?.addresses.includes(node.address) ?? false),
        // A file has to name something.
        in_files: node.address !== null && (block === null || lines.every(({ in_files }) => !in_files)),
      };
      const dns = name
        ? { name: name.name, addresses: [...name.addresses], at: name.published_at.toISOString() }
        : null;
      return { id: node.id, name: node.name, dns, entries: [...lines, direct] };
    });
}

function lineOf(relay: Relay, block: EntryLine['block'], named: readonly string[]): EntryLine {
  const addresses = ([4, 6] as const).flatMap((family) => {
    const address = family === 4 ? relay.address4 : relay.address6;
    const state: EntryState = relayState(relay, family);
    return address === null ? [] : [{ address, state }];
  });
  return {
    ...{ relay: { id: relay.id, name: relay.name }, addresses, block },
    round_trip_ms: relay.round_trip_ms === null ? null : Math.round(relay.round_trip_ms),
    tried_at: relay.tried_at?.toISOString() ?? null,
    in_name: addresses.some(({ address }) => named.includes(address)),
    in_files: block === null && addresses.some(({ state }) => state === 'up'),
  };
}

function blockOf(
  block: EntryBlock,
  by: string | null | undefined,
  operators: readonly NetworkOperator[],
): EntryLine['block'] {
  const { evidence } = block;
  return {
    evidence: evidence && { ...evidence, network: operators.find(({ id }) => id === evidence.network) ?? null },
    ...{ at: block.began_at.toISOString(), by_rule: block.by_rule, by: by ?? block.blocked_by, reason: block.reason },
    notified_at: block.notified_at?.toISOString() ?? null,
  };
}

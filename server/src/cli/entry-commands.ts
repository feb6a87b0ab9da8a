import { relayState } from '../modules/fleet/choose-entries.ts';
import { blockEntry, type Entry, listBlocks, listEntryNames, unblockEntry } from '../modules/fleet/entries.ts';
import { getNodeByName } from '../modules/fleet/get-node.ts';
import { listNodes } from '../modules/fleet/nodes.ts';
import { getRelayByName, listRelays } from '../modules/fleet/relays.ts';
import { actor, type Commands, type Context, type Result, text, UsageError } from './context.ts';

/** Where devices find nodes: relays and the nodes' own addresses, and which of them networks block (decision 110). */
export const entryCommands: Commands = {
  'entries list': { usage: '', run: listCommand },
  'entries block': {
    usage: '--relay ir1 | --node de1 [--reason …]',
    flags: ['relay', 'node', 'reason'],
    run: blockCommand,
  },
  'entries unblock': {
    usage: '--relay ir1 | --node de1 [--reason …]',
    flags: ['relay', 'node', 'reason'],
    run: unblockCommand,
  },
};

async function blockCommand(context: Context): Promise<Result> {
  const { entry, what } = await entryOf(context);
  await blockEntry(context, { actor, entry, reason: reasonOf(context) });
  const line = `${what} is in no new file from now on. Within two minutes its name leads elsewhere, and its users are notified.`;
  return { data: entry, lines: [line] };
}

async function unblockCommand(context: Context): Promise<Result> {
  const { entry, what } = await entryOf(context);
  await unblockEntry(context, { actor, entry, reason: reasonOf(context) });
  return { data: entry, lines: [`${what} is in new files and in its name again, if it works.`] };
}

function reasonOf({ flags }: Context): string | undefined {
  return flags.reason === undefined ? undefined : text(flags, 'reason');
}

async function entryOf({ db, flags }: Context): Promise<{ readonly entry: Entry; readonly what: string }> {
  if ((flags.relay === undefined) === (flags.node === undefined))
    throw new UsageError('--relay or --node is needed, one of them.');
  if (flags.relay === undefined) {
    const { id, name } = await getNodeByName(db, text(flags, 'node'));
    return { entry: { nodeId: id, relayId: null }, what: `The own address of "${name}"` };
  }
  const { id, name, node_id: nodeId } = await getRelayByName(db, text(flags, 'relay'));
  return { entry: { nodeId, relayId: id }, what: `Relay "${name}"` };
}

async function listCommand({ db }: Context): Promise<Result> {
  const [nodes, relays] = [await listNodes(db), await listRelays(db)];
  const [blocks, names] = [await listBlocks(db), await listEntryNames(db)];
  const data = nodes.map((node) => {
    const name = names.find(({ node_id }) => node_id === node.id);
    const blockOf = (relayId: string | null) => {
      const block = blocks.find(({ node_id, relay_id }) => node_id === node.id && relay_id === relayId);
      return {
        ...{ blockedAt: block?.began_at.toISOString() ?? null, reason: block?.reason ?? null },
        ...{ byRule: block?.by_rule ?? false, evidence: block?.evidence ?? null },
      };
    };
    const own = { relay: null, addresses: node.address === null ? [] : [node.address], ...blockOf(null) };
    const others = relays
      .filter(({ node_id }) => node_id === node.id)
      .map((relay) => ({
        relay: relay.name,
        addresses: ([4, 6] as const).flatMap((family) => {
          const address = family === 4 ? relay.address4 : relay.address6;
          return address === null ? [] : [`${address} ${relayState(relay, family)}`];
        }),
        ...blockOf(relay.id),
      }));
    const published = name ? { name: name.name, addresses: name.addresses, at: name.published_at.toISOString() } : null;
    return { node: node.name, name: published, entries: [...others, own] };
  });
  const lines = data.flatMap(({ node, name, entries }) => [
    `${node}\t${name ? `${name.name} → ${name.addresses.join(', ') || 'nowhere'}` : 'no name'}`,
    ...entries.map(({ relay, addresses, blockedAt, byRule, reason }) => {
      const who = byRule ? 'by the rule' : 'by hand';
      const block = blockedAt === null ? [] : [`BLOCKED since ${blockedAt}, ${who}${reason ? `: ${reason}` : ''}`];
      return ['', relay ?? 'itself', addresses.join(', '), ...block].join('\t').trimEnd();
    }),
  ]);
  return { data: { nodes: data }, lines: lines.length > 0 ? lines : ['There are no nodes yet.'] };
}

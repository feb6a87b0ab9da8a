import { withQueues } from '../app/open-queues.ts';
import { addRelay, removeRelay } from '../modules/fleet/add-relay.ts';
import { relayState } from '../modules/fleet/choose-entries.ts';
import { getNodeByName } from '../modules/fleet/get-node.ts';
import { listNodes } from '../modules/fleet/nodes.ts';
import { RELAY_END } from '../modules/fleet/relay-machine.ts';
import { getRelayByName, listRelays, type Relay, readRelayCommand } from '../modules/fleet/relays.ts';
import { actor, type Commands, type Context, type Result, text } from './context.ts';

/** Machines that forward to a node (decision 109). */
export const relayCommands: Commands = {
  'relays add': {
    usage: '--name ir1 --node de1 [--address 203.0.113.9] [--address6 2001:db8::9] [--exit node address] [--exit6 …]',
    flags: ['name', 'node', 'address', 'address6', 'exit', 'exit6'],
    run: addCommand,
  },
  'relays list': { usage: '', run: listCommand },
  'relays command': { usage: '--name ir1', flags: ['name'], run: commandCommand },
  'relays remove': { usage: '--name ir1', flags: ['name'], run: removeCommand },
};

async function addCommand(context: Context): Promise<Result> {
  const { flags } = context;
  const node = await getNodeByName(context.db, text(flags, 'node'));
  const given = (flag: string) => (flags[flag] === undefined ? undefined : text(flags, flag));
  const order = {
    ...{ actor, nodeId: node.id, name: text(flags, 'name') },
    ...{ address4: given('address'), address6: given('address6'), exit4: given('exit'), exit6: given('exit6') },
  };
  const relay = await withQueues(context, ({ bus }) => addRelay({ ...context, bus }, order));
  return await commandOf(context, relay, `Relay "${relay.name}" of "${node.name}" is expected.`);
}

async function commandCommand(context: Context): Promise<Result> {
  const relay = await getRelayByName(context.db, text(context.flags, 'name'));
  return await commandOf(context, relay, `Relay "${relay.name}" forwards what its node accepts now.`);
}

async function commandOf({ db }: Context, { id, name }: Relay, sentence: string): Promise<Result> {
  const command = await readRelayCommand(db, await getRelayByName(db, name));
  return {
    data: { id, name, command },
    lines: [
      `${sentence} New files name it once it works: see relays list.`,
      'Run this on its machine, as root:',
      '',
      command,
    ],
  };
}

async function removeCommand(context: Context): Promise<Result> {
  const relay = await getRelayByName(context.db, text(context.flags, 'name'));
  await withQueues(context, ({ bus }) => removeRelay({ ...context, bus }, { actor, relay }));
  return {
    data: { id: relay.id, command: RELAY_END },
    lines: [
      `New files do without "${relay.name}". Older ones go on through it until you run this on its machine, as root:`,
      '',
      RELAY_END,
    ],
  };
}

async function listCommand({ db }: Context): Promise<Result> {
  const [relays, nodes] = [await listRelays(db), await listNodes(db)];
  const nodeName = (relay: Relay) => nodes.find(({ id }) => id === relay.node_id)?.name ?? '';
  const data = relays.map((relay) => ({
    ...{ id: relay.id, name: relay.name, node: nodeName(relay) },
    ipv4: relay.address4 === null ? null : { address: relay.address4, state: relayState(relay, 4) },
    ipv6: relay.address6 === null ? null : { address: relay.address6, state: relayState(relay, 6) },
    ...{ triedAt: relay.tried_at?.toISOString() ?? null, roundTripMs: relay.round_trip_ms },
  }));
  const part = (entry: { readonly address: string; readonly state: string } | null) =>
    entry === null ? [] : [`${entry.address} ${entry.state}`];
  return {
    data: { relays: data },
    lines:
      data.length === 0
        ? ['There are no relays. Add one with: npm run raha -- relays add']
        : data.map(({ name, node, ipv4, ipv6, triedAt, roundTripMs }) =>
            [
              ...[name, `to ${node}`, ...part(ipv4), ...part(ipv6)],
              roundTripMs === null ? 'never came through' : `${Math.round(roundTripMs)} ms there and back`,
              triedAt === null ? 'not tried yet' : `tried ${triedAt}`,
            ].join('\t'),
          ),
  };
}

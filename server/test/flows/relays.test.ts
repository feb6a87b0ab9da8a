import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findCauses } from '../../src/app/alert-causes.ts';
import { OperatorMistake } from '../../src/modules/accounts/operator-mistake.ts';
import { addRelay, type RelayOrder, removeRelay } from '../../src/modules/fleet/add-relay.ts';
import {
  getRelayByName,
  listRelays,
  listRelaysInTrouble,
  type Relay,
  readRelayCommand,
} from '../../src/modules/fleet/relays.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { actor, openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** Entry relays (decision 109): a node tries its relays, and files name those that work. The machines are in a kernel test. */
const NODE = '198.51.100.2';
const RELAY = '203.0.113.9';
const clock = manualClock(new Date('2026-11-20T08:40:00Z'));

let world: TestWorld;
let node: FakeNode;
let user: TestUser;
let names = 0;

beforeAll(async () => {
  world = await openTestWorld({ clock });
  node = await enrolFakeNode(world);
  await node.serveOpenvpn();
  await node.serveIkev2();
  user = await world.user();
});
afterAll(() => world.close());

const add = (order: Partial<RelayOrder> = {}) =>
  addRelay(world.deps, { actor, name: `relay-${names++}`, nodeId: node.id, address4: RELAY, ...order });

async function newFile(protocol: 'wireguard' | 'openvpn' | 'ikev2', system?: 'windows'): Promise<string> {
  const body = { name: `device-${names++}`, serverId: node.id, protocol };
  const { data } = await user.api.createConfig({ body });
  return system ? await user.api.downloadConfig({ params: { id: data.config.id }, query: { system } }) : data.file;
}

/** As the agent: what it has tried comes with its next report. */
async function heard(relay: Relay, roundTripMs: number | null, family: 4 | 6 = 4): Promise<void> {
  await node.report([], { relays: [{ relay: relay.id, family, roundTripMs }] });
}

/** The names of relays of which the operator is told. */
async function alerted(): Promise<string[]> {
  const causes = await findCauses(world.deps, []);
  return causes.filter(({ rule }) => rule === 'relay_away').map(({ cause }) => cause);
}

const endpointOf = (file: string) => /^Endpoint = (.*)$/m.exec(file)?.[1];
const remotesOf = (file: string) => file.split('\n').filter((line) => line.startsWith('remote '));

describe('a relay', () => {
  let relay: Relay;

  test('is learnt by its node at once, and in no file before it has worked', async () => {
    await node.settle();
    expect(node.settings?.relays).toBeUndefined();
    const waiting = node.sync(20);
    relay = await add();
    expect(await waiting).toMatchObject({ kind: 'delta' });
    const relays = [{ id: relay.id, address4: RELAY, address6: null }];
    expect(node.settings?.relays).toEqual({ probePort: 24_443, periodMs: 15_000, relays });
    expect(endpointOf(await newFile('wireguard'))).toBe(`${NODE}:51820`);
    expect(await listRelaysInTrouble(world.deps.db)).toEqual({ away: [], untried: [relay.name] });
    expect(await alerted()).toEqual([]);
    await heard(relay, null);
    expect(await alerted()).toEqual([relay.name]);
    expect(endpointOf(await newFile('wireguard'))).toBe(`${NODE}:51820`);
  });

  test('comes first in new files once it has: OpenVPN goes on to the node by itself', async () => {
    await heard(relay, 31.5);
    expect(await alerted()).toEqual([]);
    expect(endpointOf(await newFile('wireguard'))).toBe(`${RELAY}:51820`);
    const profile = await newFile('openvpn');
    expect(remotesOf(profile)).toEqual([`remote ${RELAY} 1194 udp`, `remote ${NODE} 1194 udp`]);
    expect(profile).toContain('\nserver-poll-timeout 5\n');
    expect(await newFile('ikev2')).toContain(`<key>RemoteAddress</key>\n<string>${RELAY}</string>`);
  });

  test('is named to Windows only once the certificate of its node names it', async () => {
    expect(await newFile('ikev2', 'windows')).toContain(`$server = '${NODE}'`);
    await node.serveIkev2();
    expect(await newFile('ikev2', 'windows')).toContain(`$server = '${RELAY}'`);
  });

  test('that is away is left out; that its node is away says nothing about it', async () => {
    clock.advance(60_000);
    // The report says nothing of relays.
    await node.report([]);
    expect(endpointOf(await newFile('wireguard'))).toBe(`${RELAY}:51820`);
    await heard(relay, null);
    expect(endpointOf(await newFile('wireguard'))).toBe(`${NODE}:51820`);
    await heard(relay, 30);
    expect(endpointOf(await newFile('wireguard'))).toBe(`${RELAY}:51820`);
  });

  test('of another node is not changed by what a node reports', async () => {
    const other = await enrolFakeNode(world);
    clock.advance(60_000);
    await node.report([]);
    await other.report([], { relays: [{ relay: relay.id, family: 4, roundTripMs: null }] });
    expect((await getRelayByName(world.deps.db, relay.name)).tried_at).not.toEqual(clock.now());
    expect(endpointOf(await newFile('wireguard'))).toBe(`${RELAY}:51820`);
  });

  test('forwards the ports of its node, and a file after its removal does without it', async () => {
    const command = await readRelayCommand(world.deps.db, relay);
    expect(command).toContain(`udp dport { 53, 123, 500, 1194, 4500, 8443, 24443, 25000, 51820 } dnat ip to ${NODE}`);
    expect(command).toContain(`tcp dport { 443 } dnat ip to ${NODE}`);
    await removeRelay(world.deps, { actor, relay });
    await node.sync();
    expect(node.settings?.relays).toBeUndefined();
    expect(endpointOf(await newFile('wireguard'))).toBe(`${NODE}:51820`);
  });
});

test('of two with one name or address, for different nodes at the same moment, one is refused with a sentence', async () => {
  const other = await enrolFakeNode(world);
  for (const same of [{ name: 'twin' }, { address4: '203.0.113.77' }]) {
    const twins = await Promise.allSettled([node, other].map(({ id }) => add({ ...same, nodeId: id })));
    const [refusal] = twins.flatMap((twin) => (twin.status === 'rejected' ? [twin.reason] : []));
    expect(refusal).toBeInstanceOf(OperatorMistake);
    const [made] = twins.flatMap((twin) => (twin.status === 'fulfilled' ? [twin.value] : []));
    await removeRelay(world.deps, { actor, relay: made as Relay });
  }
});

test('with both families and several relays, files begin with different ones and never name more than three', async () => {
  user = await world.user();
  const relays = [];
  for (const last of [1, 2, 3, 4]) {
    const address6 = `2001:db8::${last}`;
    relays.push(await add({ address4: `203.0.113.${last}`, address6, exit6: '2001:db8:a::2' }));
  }
  for (const relay of relays) for (const family of [4, 6] as const) await heard(relay, 20, family);
  const firsts = new Set<string>();
  for (let files = 0; files < 12; files++) {
    const remotes = remotesOf(await newFile('openvpn'));
    expect(remotes).toHaveLength(4);
    expect(remotes.at(-1)).toContain(NODE);
    firsts.add(remotes[0] ?? '');
  }
  expect(firsts.size).toBeGreaterThan(1);
  for (const relay of relays) await removeRelay(world.deps, { actor, relay });
});

test('one that only IPv6 reaches is written in brackets', async () => {
  const relay = await add({ address4: undefined, address6: '2001:DB8::9', exit6: '2001:db8:a::2' });
  await heard(relay, 20, 6);
  expect(endpointOf(await newFile('wireguard'))).toBe('[2001:db8::9]:51820');
  expect(remotesOf(await newFile('openvpn'))[0]).toBe('remote 2001:db8::9 1194 udp6');
  await removeRelay(world.deps, { actor, relay });
});

test.each<[string, Partial<RelayOrder>]>([
  ['a name that is none', { name: 'Ir 1' }],
  ['no address', { address4: undefined }],
  ['a host name', { address4: 'relay.example.org' }],
  ['an address of the other family', { address4: '2001:db8::9' }],
  ['IPv6 without the address of its node', { address6: '2001:db8::9' }],
  ['rules in an address', { exit4: '198.51.100.2; add table x' }],
  ['the node itself', { address4: NODE }],
])('%s is refused', async (_what, order) => {
  await expect(add(order)).rejects.toMatchObject({ name: 'OperatorMistake' });
  expect(await listRelays(world.deps.db)).toEqual([]);
});

test('an address and a name belong to one relay, also when two are added at once', async () => {
  const results = await Promise.allSettled([add(), add()]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const { rows } = await sql`SELECT 1 FROM relay`.execute(world.deps.db);
  expect(rows).toHaveLength(1);
});

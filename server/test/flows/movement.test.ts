import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allSchedules } from '../../src/app/work.ts';
import { addRelay, removeRelay } from '../../src/modules/fleet/add-relay.ts';
import { blockEntry, type Entry, listEntryNames, unblockEntry } from '../../src/modules/fleet/entries.ts';
import type { Relay } from '../../src/modules/fleet/relays.ts';
import { revokeNode } from '../../src/modules/fleet/revoke-node.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { actor, openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** Entries that networks block (decision 110), with a name server of the test. A real one is in a kernel test. */
const NODE = '198.51.100.2';
const ZONE = 'go.example.org';
const clock = manualClock(new Date('2026-11-20T08:40:00Z'));

const records = new Map<string, readonly string[]>();
let updates = 0;
let isNameServerAway = false;

let world: TestWorld;
let node: FakeNode;
let relays: Relay[];
let user: TestUser;

beforeAll(async () => {
  const set = async (name: string, addresses: readonly string[]) => {
    if (isNameServerAway) throw new Error('timed out');
    updates += 1;
    records.set(name, addresses);
  };
  world = await openTestWorld({ clock, overrides: { entryDns: { zone: ZONE, set } } });
  node = await enrolFakeNode(world);
  await node.serveOpenvpn();
  const add = (name: string, address4: string) => addRelay(world.deps, { actor, name, nodeId: node.id, address4 });
  relays = [await add('one', '203.0.113.1'), await add('two', '203.0.113.2')];
  for (const { id } of relays) await node.report([], { relays: [{ relay: id, family: 4, roundTripMs: 20 }] });
  user = await world.user();
});
afterAll(() => world.close());

const round = async () => await allSchedules.find(({ name }) => name === 'move blocked entries')?.run(world.deps);
const entryOf = (relay?: Relay): Entry => ({ nodeId: node.id, relayId: relay?.id ?? null });
const block = (relay?: Relay) => blockEntry(world.deps, { actor, entry: entryOf(relay) });
const unblock = (relay?: Relay) => unblockEntry(world.deps, { actor, entry: entryOf(relay) });
const nameOf = async ({ id }: FakeNode) =>
  (await listEntryNames(world.deps.db)).find(({ node_id: nodeId }) => nodeId === id)?.name ?? '';
const leadsTo = async () => [...(records.get(await nameOf(node)) ?? [])].sort();

let files = 0;
async function newFile(protocol: 'wireguard' | 'openvpn' = 'openvpn'): Promise<string> {
  const body = { name: `device-${files++}`, serverId: node.id, protocol };
  return (await user.api.createConfig({ body })).data.file;
}
const hostsOf = (file: string) => [...file.matchAll(/^remote (\S+) 1194 udp$/gm)].map(([, host]) => host);

async function received({ id }: { readonly id: string }): Promise<{ hasName: boolean }[]> {
  const { rows } = await sql<{ data: { hasName: boolean } }>`
    SELECT data FROM notification WHERE user_id = ${id} AND kind = 'entry_blocked' ORDER BY created_at, id
  `.execute(world.deps.db);
  return rows.map(({ data }) => data);
}

test('a node gets a name in the zone, which says nothing of it and leads to its relays; files begin with it', async () => {
  expect(hostsOf(await newFile())[0]).toMatch(/^203\.0\.113\.[12]$/);
  await round();
  const name = await nameOf(node);
  expect(name).toMatch(/^e[0-9a-f]{12}\.go\.example\.org$/);
  expect(await leadsTo()).toEqual(['203.0.113.1', '203.0.113.2']);
  expect(hostsOf(await newFile())).toEqual([name, expect.any(String), expect.any(String), NODE]);
  expect(await newFile('wireguard')).toContain(`\nEndpoint = ${name}:51820\n`);
  await round();
  expect(updates).toBe(1);
});

test('a blocked relay leaves new files at once, and the name in the next round; each user is notified once', async () => {
  await block(relays[0]);
  expect(hostsOf(await newFile())).toEqual([await nameOf(node), '203.0.113.2', NODE]);
  clock.advance(1_000);
  const newcomer = await world.user();
  await newcomer.api.createConfig({ body: { name: 'later', serverId: node.id, protocol: 'wireguard' } });
  await round();
  expect(await leadsTo()).toEqual(['203.0.113.2']);
  await round();
  expect(await received(user)).toEqual([{ country: 'DE', hasName: true }]);
  // Who came after the block has a file without it.
  expect(await received(newcomer)).toEqual([]);
  await expect(block(relays[0])).rejects.toMatchObject({ kind: 'conflict' });
});

test('with all relays blocked or away the name leads to the node itself, and back again', async () => {
  await block(relays[1]);
  await round();
  expect(await leadsTo()).toEqual([NODE]);
  // A new cause is a new notification.
  expect(await received(user)).toHaveLength(2);
  await unblock(relays[0]);
  await unblock(relays[1]);
  await round();
  expect(await leadsTo()).toEqual(['203.0.113.1', '203.0.113.2']);
  await expect(unblock(relays[0])).rejects.toMatchObject({ kind: 'conflict' });
  expect(await received(user)).toHaveLength(2);
});

test('the node’s own address can be blocked: files then name relays only', async () => {
  await block();
  expect(hostsOf(await newFile())).not.toContain(NODE);
  await round();
  expect(await leadsTo()).toEqual(['203.0.113.1', '203.0.113.2']);
  await unblock();
});

test('while the name server is away nothing else stops, and users are notified after two minutes all the same', async () => {
  isNameServerAway = true;
  const before = (await received(user)).length;
  await block(relays[0]);
  await round();
  expect(await received(user)).toHaveLength(before);
  clock.advance(121_000);
  await round();
  expect((await received(user)).slice(before)).toEqual([{ country: 'DE', hasName: false }]);
  isNameServerAway = false;
  await round();
  expect(await leadsTo()).toEqual(['203.0.113.2']);
  await unblock(relays[0]);
  await round();
});

test('a relay that stopped working leaves the name as well; a name server that forgot is set right within an hour', async () => {
  clock.advance(60_000);
  await node.report([], { relays: [{ relay: relays[0]?.id ?? '', family: 4, roundTripMs: null }] });
  await node.report([], { relays: [{ relay: relays[1]?.id ?? '', family: 4, roundTripMs: 30 }] });
  await round();
  expect(await leadsTo()).toEqual(['203.0.113.2']);
  records.clear();
  clock.advance(3_601_000);
  await round();
  expect(await leadsTo()).toEqual(['203.0.113.2']);
});

test('without a name server files name addresses again; a revoked node has no name', async () => {
  await node.report([]);
  user = await world.user();
  await allSchedules.find(({ name }) => name === 'move blocked entries')?.run({ ...world.deps, entryDns: undefined });
  expect(hostsOf(await newFile())).toEqual(['203.0.113.2', NODE]);
  await round();
  const name = await nameOf(node);
  for (const relay of relays) await removeRelay(world.deps, { actor, relay });
  await revokeNode(world.deps, { actor, nodeId: node.id, movesTo: null });
  await round();
  expect(records.get(name)).toEqual([]);
  expect(await nameOf(node)).toBe('');
});

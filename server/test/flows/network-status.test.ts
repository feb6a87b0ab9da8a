import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** What a user learns about their own address, and that none of it is stored. */
const EXIT = '198.51.100.2';
const OUTSIDE = '5.160.77.91';

let world: TestWorld;
let node: FakeNode;
let user: TestUser;
beforeAll(async () => {
  world = await openTestWorld();
  node = await enrolFakeNode(world);
  user = await world.user();
});
afterAll(() => world.close());

/** The tests' client connects over loopback, like a proxy on this machine, so its forwarding header is trusted. */
const statusFrom = async (address: string, of = user) =>
  (await of.api.getNetworkStatus({}, { headers: { 'x-forwarded-for': address } })).data;

test('from outside: the address itself, its country and its network', async () => {
  expect(await statusFrom(OUTSIDE)).toMatchObject({
    realIp: OUTSIDE,
    vpnIp: null,
    isProtected: false,
    location: { country: 'IR' },
    server: null,
  });
  expect((await statusFrom('1.1.1.1')).isp).toBe('Cloudflare, Inc.');
  expect(await statusFrom(`::ffff:${OUTSIDE}`)).toMatchObject({ realIp: OUTSIDE });
});

test('from a server of ours: protected, and the user’s own address is unknown', async () => {
  expect(await statusFrom(EXIT)).toMatchObject({
    realIp: null,
    vpnIp: EXIT,
    isProtected: true,
    location: { country: 'DE', city: 'Frankfurt' },
    server: { id: node.id },
  });
});

test('users appear with the address from which their node connects, in both families', async () => {
  await sql`UPDATE node_presence SET exit_ipv4 = '192.0.2.44', exit_ipv6 = '2001:db8:0:0:0:0:0:7' WHERE node_id = ${node.id}`.execute(
    world.deps.db,
  );
  for (const address of ['192.0.2.44', '2001:db8::7'])
    expect(await statusFrom(address)).toMatchObject({ isProtected: true, vpnIp: address });
  expect((await statusFrom('2001:db8::8')).isProtected).toBe(false);
});

test('a node on this machine does not make every local client protected', async () => {
  await node.report([]);
  const { rows } = await sql<{ exit_ipv4: string }>`
    SELECT exit_ipv4 FROM node_presence WHERE node_id = ${node.id}
  `.execute(world.deps.db);
  expect(rows[0]?.exit_ipv4).toBe('127.0.0.1');
  expect((await user.api.getNetworkStatus()).data).toMatchObject({ isProtected: false, realIp: '127.0.0.1' });
});

test('from inside a tunnel: protected, by the server of the connection', async () => {
  const { data } = await user.api.createConfig({ body: { name: 'گوشی', serverId: node.id, keepKey: true } });
  await node.settle();
  await node.report([], { tunnels: [{ config: data.config.id, handshakeAgeSeconds: 1, pingMs: 9 }] });
  const four = ['10.64.0.2', '10.65.0.2', '10.66.0.2', '10.67.0.2', '10.68.0.2', '10.69.0.2'];
  for (const inside of [...four, 'fd72:6168:6102::2', 'fd72:6168:6103::2', 'fd72:6168:6104::2']) {
    expect(await statusFrom(inside)).toMatchObject({
      isProtected: true,
      realIp: null,
      location: { country: 'DE' },
      server: { id: node.id },
    });
  }
  expect((await statusFrom('10.70.0.2')).isProtected).toBe(false);
});

test('forwarding headers of other clients are ignored, and an anonymous caller is refused', async () => {
  const untrusted = await statusFrom(`203.0.113.9, ${OUTSIDE}`);
  expect(untrusted.realIp).toBe(OUTSIDE);
  await expect(world.client().getNetworkStatus()).rejects.toMatchObject({ status: 401 });
});

test('nothing about it is in the database afterwards', async () => {
  await statusFrom(OUTSIDE);
  const { rows: tables } = await sql<{ name: string }>`
    SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name FROM information_schema.tables
    WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
  `.execute(world.deps.db);
  expect(tables.length).toBeGreaterThan(20);
  for (const { name } of tables) {
    const { rows } = await sql<{ hits: bigint }>`
      SELECT count(*) AS hits FROM ${sql.raw(name)} t WHERE t::text LIKE ${`%${OUTSIDE}%`}
    `.execute(world.deps.db);
    expect(`${name}: ${rows[0]?.hits}`).toBe(`${name}: 0`);
  }
});

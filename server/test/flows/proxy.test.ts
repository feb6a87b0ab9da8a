import { createHash } from 'node:crypto';
import { proxyIdOf, proxyIdSource } from '@raha/contract/proxy-id.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeNodes } from '../../src/modules/configs/describe-nodes.ts';
import { setProxy } from '../../src/modules/fleet/set-proxy.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';

/** The proxy at a node, for the configs of OpenVPN (decision 0137). */
const URL = 'https://www.example.org/news/live';
let world: TestWorld;
let node: FakeNode;

beforeAll(async () => {
  world = await openTestWorld();
  node = await enrolFakeNode(world);
  await node.serveOpenvpn();
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const order = (name: string) => ({ name, serverId: node.id, protocol: 'openvpn' as const });
const set = (url: string | null) => setProxy(world.deps, { actor, nodeId: node.id, url });
const idAt = (config: string) => {
  const peer = node.peers.get(config);
  return peer?.protocol === 'openvpn' ? peer.proxyId : undefined;
};
/** As the panel makes it. */
const idIn = (file: string) => {
  const key = /<tls-crypt-v2>([^<]+)</.exec(file)?.[1] ?? '';
  return proxyIdOf(createHash('sha256').update(proxyIdSource(key)).digest());
};

test('a node hears of it at once, with the credentials of the configs that it has already, and loses them with it', async () => {
  const { api } = await world.user();
  const { data } = await api.createConfig({ body: order('before') });
  const { id } = data.config;
  await node.settle();
  expect([node.settings?.openvpn?.proxy, idAt(id)]).toEqual([undefined, undefined]);
  const waiting = node.sync(20);
  expect(await set(URL)).toBe(URL);
  // The complete state, because a change of settings does not say anything again about a config.
  expect(await waiting).toMatchObject({ kind: 'snapshot' });
  expect(node.settings?.openvpn?.proxy).toEqual({ address4: '10.69.0.1/16', path: '/news/live' });
  expect(idAt(id)).toBe(idIn(data.file));
  expect(idAt(id)).toMatch(/^[0-9a-f]{8}-/);
  expect(await node.sync()).toMatchObject({ kind: 'unchanged' });

  const later = await api.createConfig({ body: order('later') });
  expect(await node.sync()).toMatchObject({ kind: 'delta' });
  expect(idAt(later.data.config.id)).toBe(idIn(later.data.file));
  const old = idAt(id);
  const reset = await api.resetConfig({ params: { id }, body: {} });
  await node.sync();
  expect(idAt(id)).toBe(idIn(reset.data.file));
  expect(idAt(id)).not.toBe(old);

  await set(null);
  expect(await node.sync()).toMatchObject({ kind: 'snapshot' });
  expect([node.settings?.openvpn?.proxy, idAt(id)]).toEqual([undefined, undefined]);
});

test('configs of other protocols have none, and nothing of it is kept', async () => {
  const { api } = await world.user();
  const { data } = await api.createConfig({ body: order('phone') });
  const wireguard = await api.createConfig({ body: { name: 'w', serverId: node.id } });
  await set(URL);
  await node.sync();
  expect(node.peers.get(wireguard.data.config.id)).not.toHaveProperty('proxyId');
  const kept = await sql<{ text: string }>`SELECT c::text AS text FROM config c WHERE id = ${data.config.id}`.execute(
    world.deps.db,
  );
  expect(kept.rows[0]?.text).not.toContain(idAt(data.config.id));
  await set(null);
});

test('the panel offers it while the node says that it serves it, and staff are told why when it does not', async () => {
  const { api } = await world.user();
  const { data } = await api.createConfig({ body: order('phone') });
  const wireguard = await api.createConfig({ body: { name: 'w', serverId: node.id } });
  const shown = async () => {
    const config = async (id: string) => (await api.getConfig({ params: { id } })).data.config.server.proxy;
    const server = (await api.listServers()).data.servers.find(({ id }) => id === node.id)?.proxy;
    return [await config(data.config.id), await config(wireguard.data.config.id), server];
  };
  const warnings = async () => {
    const nodes = await describeNodes(world.deps.db, world.deps.clock.now());
    return nodes.find((state) => state.node.id === node.id)?.warnings.filter((text) => text.includes('proxy'));
  };
  const nothing = [undefined, undefined, undefined];
  node.proxy = 'served';
  await node.report([]);
  expect([await shown(), await warnings()]).toEqual([nothing, []]);
  await set(URL);
  expect([await shown(), await warnings()]).toEqual([[URL, undefined, true], []]);
  node.proxy = 'no_engine';
  await node.report([]);
  expect([await shown(), await warnings()]).toEqual([nothing, [expect.stringContaining('names no program')]]);
  // It does not run; and an agent of before it, which says nothing.
  for (const state of ['failed', undefined] as const) {
    node.proxy = state;
    await node.report([]);
    expect([await shown(), await warnings()]).toEqual([nothing, [expect.stringContaining('does not run')]]);
  }
  await set(null);
  expect(await warnings()).toEqual([]);
});

test.each([
  'http://www.example.org/news',
  'https://www.example.org/',
  'https://www.example.org',
  'https://a:b@www.example.org/news',
  'https://www.example.org/news?x=1',
  'https://www.example.org/news#x',
  'https://www.example.org/a b',
  'https://[2001:db8::1]/news',
  'https://www.example.org/"}',
  'www.example.org/news',
  '',
])('the address %j is refused', async (url) => {
  await expect(set(url)).rejects.toThrow('no address of a website');
});

test('another port and another path are taken', async () => {
  expect(await set('https://www.example.org:8443/a-b/c.d')).toBe('https://www.example.org:8443/a-b/c.d');
  expect(await set('https://www.example.org:443/a')).toBe('https://www.example.org/a');
  await set(null);
});

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import type { Command, Context } from '../../src/cli/context.ts';
import { nodeCommands } from '../../src/cli/node-commands.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** What nodes provide beside the tunnels: DNS, block lists, and the captive portal. */
let world: TestWorld;
let user: TestUser;
let node: FakeNode;
let config: string;

beforeAll(async () => {
  world = await openTestWorld();
  user = await world.user();
  node = await enrolFakeNode(world);
  config = (await user.api.createConfig({ body: { name: 'گوشی', serverId: node.id } })).data.config.id;
  await node.settle();
});
afterAll(() => world.close());

const filtering = async () => (await user.api.readDnsFiltering({})).data;
const health = { load: 0.1, tunnelsUp: true, unmeteredUpperBoundBytes: 0, agentVersion: 'fake' };

describe('DNS', () => {
  test('devices use their node’s resolver, inside the tunnel', async () => {
    const { data } = await user.api.createConfig({ body: { name: 'لپ‌تاپ', serverId: node.id } });
    expect(data.file).toContain('\nDNS = 10.64.0.1, fd72:6168:6100::1\n');
    await node.serveOpenvpn();
    await node.sync();
    expect(node.settings?.openvpn?.resolvers).toEqual(['10.65.0.1', 'fd72:6168:6101::1']);
  });

  test('the block list is offered if a server has one', async () => {
    expect(await filtering()).toEqual({ enabled: false, available: false, blockedToday: 0, blockedMonth: 0 });
    await node.report([], { health: { ...health, blockedNames: 120_000 } });
    expect(await filtering()).toMatchObject({ available: true });
    // A report without this field changes nothing.
    await node.report([]);
    expect(await filtering()).toMatchObject({ available: true });
  });

  test('filtering applies to all configs of a user, including later ones, and to no other user; nodes get it at once', async () => {
    const other = await world.user();
    const theirs = (await other.api.createConfig({ body: { name: 'دیگری', serverId: node.id } })).data.config.id;
    await node.settle();
    const waiting = node.sync(20);
    expect((await user.api.setDnsFiltering({ body: { enabled: true } })).data.enabled).toBe(true);
    expect(await waiting).toMatchObject({ kind: 'delta' });
    const later = (await user.api.createConfig({ body: { name: 'بعدی', serverId: node.id } })).data.config.id;
    await node.settle();
    expect([config, later, theirs].map((id) => node.peers.get(id)?.dnsFiltering)).toEqual([true, true, undefined]);
    const { generation } = await node.sync();
    await user.api.setDnsFiltering({ body: { enabled: true } });
    expect((await node.sync()).generation).toBe(generation);
    await user.api.setDnsFiltering({ body: { enabled: false } });
    await node.settle();
    expect([config, later].map((id) => node.peers.get(id)?.dnsFiltering)).toEqual([undefined, undefined]);
  });

  test('blocked queries are one number per user and day of Tehran, counted once, and nothing else', async () => {
    await node.report([], { blockedQueries: [{ config, count: 30 }] });
    await dayPasses(1);
    await node.report([], { blockedQueries: [{ config, count: 4 }] });
    expect(await filtering()).toMatchObject({ blockedToday: 4, blockedMonth: 34 });
    const { rows } = await sql`SELECT * FROM blocked_query_day WHERE user_id = ${user.id} ORDER BY day`.execute(
      world.deps.db,
    );
    expect(rows.map((row) => Object.keys(row as object))).toEqual([
      ['user_id', 'day', 'count'],
      ['user_id', 'day', 'count'],
    ]);
    await dayPasses(29);
    expect(await filtering()).toMatchObject({ blockedToday: 0, blockedMonth: 4 });
  });
});

/** Moves the counted days further back. */
async function dayPasses(days: number): Promise<void> {
  await sql`UPDATE blocked_query_day SET day = day - ${days}::integer`.execute(world.deps.db);
}

describe('more ports of WireGuard', () => {
  const ports = async () => {
    const { configs } = (await user.api.listConfigs()).data;
    return configs.find(({ id }) => id === config)?.server.otherPorts;
  };
  const serving = { ...health, protocols: ['wireguard' as const, 'openvpn' as const] };

  test('nodes are told of those that the operator wants', async () => {
    await user.api.createConfig({ body: { name: 'یکی', serverId: node.id } });
    await node.sync();
    expect(node.settings?.wireguard.morePorts).toEqual([53, 123, 8443, 25_000]);
    await setSettingByKey(world.deps.db, 'nodes.wireguardPorts', '[]', new Date());
    await user.api.createConfig({ body: { name: 'دومی', serverId: node.id } });
    await node.sync();
    expect(node.settings?.wireguard).not.toHaveProperty('morePorts');
    for (const value of ['[0]', '[65536]', '["53"]', JSON.stringify(Array.from({ length: 17 }, (_, n) => n + 1))]) {
      await expect(setSettingByKey(world.deps.db, 'nodes.wireguardPorts', value, new Date())).rejects.toThrow(
        /does not fit/,
      );
    }
  });

  test('users are shown those that the server says it accepts, for WireGuard only', async () => {
    expect(await ports()).toBeUndefined();
    await node.report([], { health: { ...serving, wireguardPorts: [53, 8443] } });
    expect(await ports()).toEqual([53, 8443]);
    await node.serveOpenvpn();
    const openvpn = { name: 'سومی', serverId: node.id, protocol: 'openvpn' as const };
    const { data } = await user.api.createConfig({ body: openvpn });
    await node.report([], { health: { ...serving, wireguardPorts: [53, 8443] } });
    expect(data.config.server).not.toHaveProperty('otherPorts');
    // The closing report of an epoch says nothing of the present.
    await node.report([], { health });
    expect(await ports()).toEqual([53, 8443]);
    await node.report([], { health: { ...serving, wireguardPorts: [] } });
    expect(await ports()).toBeUndefined();
    await node.report([], { health: { ...serving, wireguardPorts: [53] } });
    // An agent of before: it accepts none.
    await node.report([], { health: serving });
    expect(await ports()).toBeUndefined();
  });
});

test('the operator sees where WireGuard runs, once the node has said so', async () => {
  const list = nodeCommands['nodes list'] as Command;
  const shown = async () => {
    const context = { ...world.deps, flags: {}, positionals: [] } as unknown as Context;
    return (await list.run(context)).lines.join('\n');
  };
  const serving = { ...health, protocols: ['wireguard' as const, 'openvpn' as const] };
  await node.report([], { health: serving });
  expect(await shown()).toContain('online (wireguard, openvpn)');
  await node.report([], { health: { ...serving, wireguardBackend: 'userspace' } });
  expect(await shown()).toContain('online (wireguard as a program, openvpn)');
  await node.report([], { health: { ...serving, wireguardBackend: 'kernel' } });
  expect(await shown()).toContain('online (wireguard in the kernel, openvpn)');
  // The closing report of an epoch says nothing of the present.
  await node.report([], { health });
  expect(await shown()).toContain('wireguard in the kernel');
});

describe('the captive portal', () => {
  test("nodes get the address of the panel, the active gateways and the operator's banks", async () => {
    await setSettingByKey(world.deps.db, 'cutOff.reachable', '["bank.example"]', new Date());
    await setSettingByKey(world.deps.db, 'gateways.zarinpal', 'off', new Date());
    await user.api.createConfig({ body: { name: 'تازه', serverId: node.id } });
    await node.sync();
    const { hostname, port } = new URL(world.deps.publicUrl);
    expect(node.settings?.captivePortal).toEqual({
      topUpUrl: `${world.deps.publicUrl}/user/wallet/charge`,
      // The test banks' pages are served by the panel itself.
      walledGarden: [`${hostname}:${port}`, 'bank.example:443', 'bank.example:80'],
    });
  });

  test('an invalid host is refused as a setting', async () => {
    for (const value of ['["bank.example/pay"]', '["a; drop"]', '"bank.example"', '["10.0.0.256"]', '["bank.7"]']) {
      await expect(setSettingByKey(world.deps.db, 'cutOff.reachable', value, new Date())).rejects.toThrow(
        /does not fit/,
      );
    }
  });
});

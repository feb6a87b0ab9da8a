import { join } from 'node:path';
import type { ReachNetworks } from '@raha/contract/node/protocol.ts';
import { wireguardJunk } from '@raha/contract/wireguard-junk.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Entry, parseReachSet, reachScript } from '../../src/firewall/reach-table.ts';
import { NODE4, NODE6, WEB4 } from '../network.ts';
import { findObstacle, type Running, start, until } from '../processes.ts';
import { createWorld, type Device, type World } from '../world.ts';

const obstacle = findObstacle();
if (obstacle) console.warn(`SKIPPED: real tunnels cannot be tested here: ${obstacle}`);

/** The networks of the two clients. */
const operators: ReachNetworks['networks'] = [
  { network: 64_496, ranges: ['203.0.113.0-203.0.113.255', '2001:db8:c::-2001:db8:c:ffff:ffff:ffff:ffff:ffff'] },
  { network: 64_497, ranges: ['203.0.114.0-203.0.114.255', '2001:db8:d::-2001:db8:d:ffff:ffff:ffff:ffff:ffff'] },
];
const PERIOD_MS = 300;

describe.skipIf(obstacle)('WireGuard at more ports', { timeout: 120_000 }, () => {
  let world: World;
  let device: Device;
  let foreign: Running;
  const reported = () => world.control.reports.at(-1)?.health.wireguardPorts;

  beforeAll(async () => {
    world = await createWorld();
    // Another program of the machine, which has to go on being reached.
    const serve = "require('dgram').createSocket('udp4').bind(123, () => console.log('up'))";
    foreign = start('ip', ['netns', 'exec', world.network.node, process.execPath, '-e', serve]);
    await until('the other program', () => foreign.output().includes('up'));
    world.startAgent();
    device = world.device(0, 2);
    await world.serve(device, 50_000_000);
  }, 30_000);

  afterAll(async () => {
    await foreign?.end('SIGKILL');
    await world?.close();
  });

  test('an agent that is told of none accepts none, and says so', async () => {
    await until('a report', () => reported() !== undefined);
    expect(reported()).toEqual([]);
    // Which of them this machine has, its kernel decides.
    const link = ['ip', '-d', 'link', 'show', 'dev', world.interfaceName] as const;
    const isKernel = / wireguard /.test(await world.network.inside(world.network.node, ...link));
    expect(world.control.reports.at(-1)?.health.wireguardBackend).toBe(isKernel ? 'kernel' : 'userspace');
  });

  test('they are opened when the setting arrives, but not one that another program uses', async () => {
    await world.applied(world.control.setMorePorts([53, 123, 8443]));
    await until('the report', () => reported()?.length === 2);
    expect(reported()).toEqual([53, 8443]);
  });

  test.each([
    ['IPv4', `${NODE4}:53`],
    ['IPv6', `[${NODE6}]:8443`],
  ])(
    'a device connects there over %s, answers come from there, and its bytes are counted',
    async (_family, endpoint) => {
      device.endpoint = endpoint;
      await device.connect();
      const before = await world.settled(2);
      expect(await device.fetch()).toBe('198.51.100.2');
      // The name is answered by the node inside the tunnel, though packets to port 53 from outside are WireGuard's.
      expect(await device.fetch('http://web.example/')).toBe('198.51.100.2');
      expect(await device.fetch(`http://${WEB4}/blob?n=100000`)).toHaveLength(100_000);
      expect((await world.settled(2)) - before).toBeGreaterThan(100_000);
      const endpoints = await world.network.inside(world.network.clients[0], 'wg', 'show', 'all', 'endpoints');
      expect(endpoints).toContain(endpoint);
      await device.disconnect();
    },
  );

  test('the random packets of an AmneziaWG file before the handshake change nothing', async () => {
    const { Jc, Jmin, Jmax } = wireguardJunk;
    const [client] = world.network.clients;
    const [port, listenPort] = [8443, 40_000];
    // From the port from which the handshake follows, so that it is the same flow for the node.
    const send = `const socket = require('dgram').createSocket('udp4');
      const { randomBytes, randomInt } = require('crypto');
      socket.bind(${listenPort}, async () => {
        for (let left = ${Jc}; left > 0; left--) await new Promise((done) => {
          socket.send(randomBytes(randomInt(${Jmin}, ${Jmax} + 1)), ${port}, '${NODE4}', done);
        });
        socket.close();
      });`;
    await world.network.inside(client, process.execPath, '-e', send);
    const flows = await world.network.inside(world.network.node, 'cat', '/proc/net/nf_conntrack');
    expect(flows).toMatch(new RegExp(`sport=${listenPort} dport=${port} .*UNREPLIED`));
    Object.assign(device, { endpoint: `${NODE4}:${port}`, listenPort });
    await device.connect();
    expect(await device.fetch()).toBe('198.51.100.2');
    await device.disconnect();
    device.listenPort = 0;
  });

  test('how devices of two operators get through is counted by their networks, and only so', async () => {
    const { internet, clients, node } = world.network;
    await world.applied(world.control.setNetworks(operators, PERIOD_MS));
    await until('the table', async () => (await reachOf(world, 'attempts').catch(() => null)) !== null);
    Object.assign(device, { endpoint: `${NODE4}:53`, listenPort: 0 });
    await device.connect();
    expect(await device.fetch()).toBe('198.51.100.2');
    await device.disconnect();
    device.endpoint = `[${NODE6}]:51820`;
    await device.connect();
    expect(await device.fetch()).toBe('198.51.100.2');
    expect(await reachOf(world, 'attempts')).toEqual(['1 udp 51820 1', '1 udp 53 1']);
    expect(await reachOf(world, 'through')).toEqual(['1 udp 51820 1', '1 udp 53 1']);

    // The other operator lets nothing of UDP back in: the node answers, and nobody hears it.
    const rules = ['add table ip operator', 'add chain ip operator out { type filter hook forward priority 0; }'];
    const drop = 'add rule ip operator out ip daddr 203.0.114.0/24 meta l4proto udp drop';
    await world.network.inside(internet, 'nft', [...rules, drop].join('; '));
    const other = world.device(1, 3);
    await world.serve(other, 1_000_000);
    await other.connect();
    await until('the attempt', async () => (await reachOf(world, 'attempts')).includes('2 udp 51820 1'));
    await other.disconnect();
    const opening = `01000000${'00'.repeat(144)}`;
    await sendBytes(
      world,
      clients[1],
      Array.from({ length: 9 }, () => `udp:${NODE4}:51820:${opening}`),
    );
    // Less than five of the first operator never leave the node.
    const attempts = () => reachReports(world).reduce((sum, report) => sum + report.attempts, 0);
    await until('the report', () => attempts() === 10);
    for (const report of reachReports(world))
      expect(report).toMatchObject({ network: 64_497, transport: 'wireguard', through: 0 });
    expect(await reachOf(world, 'through')).toEqual(['1 udp 51820 1', '1 udp 53 1']);

    // Addresses of devices: nowhere in what the agent has said, nor among what it counts.
    const counted = await world.network.inside(
      node,
      'nft',
      '-j',
      'list',
      'set',
      'inet',
      `${world.table}_reach`,
      'attempts',
    );
    expect(`${JSON.stringify(world.control.reports)}${world.agent().output()}${counted}`).not.toMatch(
      /203\.0\.11[34]|2001:db8:[cd]/,
    );
    await device.disconnect();
  });

  test('other protocols are known by their first bytes, and a website beside one of them does not count', async () => {
    const { node, clients } = world.network;
    const entries: Entry[] = [
      { transport: 'openvpn', port: 1194 },
      { transport: 'openvpn_tcp', port: 443 },
      { transport: 'ikev2', port: 500 },
      { transport: 'ikev2', port: 4500 },
    ];
    const table = `${world.table}_entries`;
    const script = reachScript({ table, uplinks: ['eth0'], networks: operators, entries, relays: [] });
    await world.network.inside(node, 'nft', script);
    const listen = "require('net').createServer((socket) => socket.resume()).listen(443, () => console.log('up'))";
    const website = start('ip', ['netns', 'exec', node, process.execPath, '-e', listen]);
    await until('the website', () => website.output().includes('up'));
    const ike = (exchange: string) => `${'aa'.repeat(18)}${exchange}08${'00'.repeat(20)}`;
    await sendBytes(world, clients[0], [
      `udp:${NODE4}:1194:50${'ab'.repeat(60)},48${'cd'.repeat(60)}`,
      `udp:${NODE4}:1194:38${'ab'.repeat(40)}`,
      // A scanner, and a flow from before the table.
      `udp:${NODE4}:1194:00${'ab'.repeat(40)}`,
      `udp:${NODE4}:1194:48${'ab'.repeat(40)}`,
      `tcp:${NODE4}:443:02a750${'ab'.repeat(60)},004048${'cd'.repeat(60)}`,
      `tcp:${NODE4}:443:1603010200${'ab'.repeat(60)},170303${'cd'.repeat(60)}`,
      `udp:${NODE4}:500:${ike('22')}`,
      `udp:${NODE4}:4500:00000000${ike('23')},c0ffee01${'ab'.repeat(60)}`,
      // A keepalive, and a session that has moved here from another network.
      `udp:${NODE4}:4500:ff`,
      `udp:${NODE4}:4500:00000000${ike('25')},c0ffee01${'ab'.repeat(60)}`,
    ]);
    await website.end('SIGKILL');
    expect(await reachOf(world, 'attempts', table)).toEqual(['1 tcp 443 1', '1 udp 1194 2', '1 udp 500 1']);
    expect(await reachOf(world, 'through', table)).toEqual(['1 tcp 443 1', '1 udp 1194 1', '1 udp 4500 1']);
  });

  test('what comes by a relay counts for the relay, although its machine stands in an operator’s network', async () => {
    const { node, clients } = world.network;
    const table = `${world.table}_relays`;
    const entries: Entry[] = [{ transport: 'openvpn', port: 1194 }];
    const relays = [{ addresses: ['203.0.114.2', '2001:db8:d::2'] }];
    await world.network.inside(
      node,
      'nft',
      reachScript({ table, uplinks: ['eth0'], networks: operators, entries, relays }),
    );
    const works = `38${'ab'.repeat(40)},48${'cd'.repeat(60)}`;
    await sendBytes(world, clients[0], [`udp:${NODE4}:1194:${works}`]);
    await sendBytes(world, clients[1], [`udp:${NODE4}:1194:${works}`]);
    expect(await reachOf(world, 'attempts', table)).toEqual(['1 udp 1194 1', '3 udp 1194 1']);
    expect(await reachOf(world, 'through', table)).toEqual(['1 udp 1194 1', '3 udp 1194 1']);
  });

  test('a killed agent leaves them open, and the next one adopts them without the control plane', async () => {
    device.endpoint = `${NODE4}:8443`;
    await device.connect();
    await world.control.die();
    await world.agent().end('SIGKILL');
    expect(await device.fetch()).toBe('198.51.100.2');
    world.startAgent();
    await until('the agent', () => world.agent().output().includes('"event":"started"'));
    expect(await device.fetch()).toBe('198.51.100.2');
    await device.disconnect();
    await world.control.start();
    await until('a report', () => reported()?.join() === '53,8443');
  });

  test('a port that is taken out of the setting is closed', async () => {
    await world.applied(world.control.setMorePorts([53]));
    const { inside, node } = world.network;
    const listed = await inside(node, 'nft', 'list', 'map', 'inet', world.table, 'wireguard_ports');
    expect(listed).toContain('elements = { 53 : 51820 }');
    await until('the report', () => reported()?.join() === '53');
  });
});

/** What a set has: the number of the network, the port, and how often. */
async function reachOf(world: World, set: string, table = `${world.table}_reach`): Promise<string[]> {
  const listed = await world.network.inside(world.network.node, 'nft', '-j', 'list', 'set', 'inet', table, set);
  return parseReachSet(listed)
    .map(({ source, isTcp, port, packets }) => `${source + 1} ${isTcp ? 'tcp' : 'udp'} ${port} ${packets}`)
    .sort();
}

function reachReports({ control }: World) {
  return control.reports.flatMap(({ reach }) => reach ?? []);
}

async function sendBytes({ network }: World, namespace: string, flows: readonly string[]): Promise<void> {
  await network.inside(namespace, process.execPath, join(import.meta.dirname, '../send-bytes.ts'), ...flows);
}

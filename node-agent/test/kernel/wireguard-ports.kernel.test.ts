import { wireguardJunk } from '@raha/contract/wireguard-junk.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NODE4, NODE6, WEB4 } from '../network.ts';
import { findObstacle, type Running, start, until } from '../processes.ts';
import { createWorld, type Device, type World } from '../world.ts';

const obstacle = findObstacle();
if (obstacle) console.warn(`SKIPPED: real tunnels cannot be tested here: ${obstacle}`);

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

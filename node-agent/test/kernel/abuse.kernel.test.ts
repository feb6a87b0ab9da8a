import { join } from 'node:path';
import { limits } from '@raha/contract/limits.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { swapBytes } from '../../src/firewall/packet-marks.ts';
import { NODE4, WEB4, WEB6 } from '../network.ts';
import { findObstacle, until } from '../processes.ts';
import { createWorld, type Device, type World } from '../world.ts';

const obstacle = findObstacle();
if (obstacle) console.warn(`SKIPPED: real tunnels cannot be tested here: ${obstacle}`);

const { flows } = limits.node;
/** `npm run test:long` sends 300,000. */
const PACKETS = process.env.FLOOD === 'full' ? 300_000 : 12_000;
/** Flows that are not the flood's: the tunnels' own, the control plane's, a ping. */
const OTHERS = 40;

describe.skipIf(obstacle)('what one config may begin', { timeout: 240_000 }, () => {
  let world: World;
  let device: Device;
  let neighbour: Device;
  const { internet, node } = { internet: () => world.network.internet, node: () => world.network.node };

  beforeAll(async () => {
    world = await createWorld();
    world.startAgent();
    [device, neighbour] = [world.device(0, 2), world.device(1, 3)];
    for (const each of [device, neighbour]) {
      await world.serve(each, 100_000_000);
      await each.connect();
    }
    // A web server at the ports of mail, and a count of the flood. Answers to it would be billed as well, so there are none.
    await nft(internet(), [
      'add table inet witness',
      'add chain inet witness arrived { type filter hook prerouting priority -300; }',
      'add counter inet witness flood',
      `add rule inet witness arrived iifname "inode" ip saddr ${NODE4} udp dport >= 2000 udp sport != 51820 counter name flood drop`,
      'add chain inet witness ports { type nat hook prerouting priority -100; }',
      'add rule inet witness ports iifname "inode" tcp dport { 25, 465, 587 } redirect to :80',
    ]);
  }, 60_000);

  afterAll(() => world?.close());

  test('port 25 is closed, the ports by which people hand in mail are open', async () => {
    for (const host of [WEB4, `[${WEB6}]`]) {
      await expect(curl(`http://${host}:25/`)).rejects.toThrow(/refused|Failed to connect|Connection reset/i);
      for (const port of [465, 587]) expect(await device.fetch(`http://${host}:${port}/`)).not.toBeNull();
    }
  });

  test('inner ranges cannot be reached through the VPN, in both families', async () => {
    const reserved = ['198.18.0.80', '240.0.0.80', '192.0.0.192', '168.63.129.16', '64:ff9b::c000:250', 'fec0::80'];
    for (const address of reserved) await world.network.inside(internet(), 'ip', 'addr', 'add', address, 'dev', 'lo');
    const urls = reserved.map((address) => `http://${address.includes(':') ? `[${address}]` : address}/`);
    // The node itself reaches them, so it is the firewall that refuses.
    for (const url of urls) expect(await world.network.inside(node(), 'curl', '-gsS', '-m', '10', url)).not.toBe('');
    const before = await world.settled(2);
    expect(await Promise.all(urls.map((url) => device.fetch(url, 1)))).toEqual(urls.map(() => null));
    expect(await world.settled(2)).toBe(before);
  });

  test('new flows are limited: a burst passes, then a trickle, and only what passed is billed', async () => {
    const [billedBefore, flowsBefore] = [await world.settled(2), await openFlows()];
    await flood(PACKETS);
    const billed = (await world.settled(2)) - billedBefore;
    const { packets, bytes } = await witness();
    expect(packets).toBeGreaterThanOrEqual(500);
    expect(packets).toBeLessThan(PACKETS);
    expect(billed).toBe(bytes);
    expect((await openFlows()) - flowsBefore).toBeLessThanOrEqual(Math.min(packets, flows.open) + OTHERS);
    await until('the bill', () => world.control.billed(device.id) === billedBefore + billed);
  });

  test('open flows are limited, whatever their rate, and a neighbour does not notice', async () => {
    await liftRate();
    const [billedBefore, sentBefore] = [await world.settled(2), (await witness()).bytes];
    const flooding = flood(PACKETS);
    expect(await neighbour.fetch()).toBe('198.51.100.2');
    await flooding;
    // A busy machine loses packets of a flood before they reach the node.
    while ((await udpFlowsOf('10.64.0.2')) < flows.open * 0.9) await flood(PACKETS);
    await flood(PACKETS);
    expect(await udpFlowsOf('10.64.0.2')).toBeLessThanOrEqual(flows.open);
    expect(await openFlows()).toBeLessThanOrEqual(flows.open + OTHERS);
    expect(await neighbour.fetch()).toBe('198.51.100.2');
    expect(await neighbour.fetch(`http://[${WEB6}]/`)).toBe('2001:db8:a::2');
    expect((await world.settled(2)) - billedBefore).toBe((await witness()).bytes - sentBefore);
  });

  const nft = (namespace: string, commands: readonly string[]) =>
    world.network.inside(namespace, 'nft', commands.join('; '));

  function curl(url: string): Promise<string> {
    return world.network.inside(world.network.clients[0], 'curl', '-gsS', '-m', '10', url);
  }

  async function flood(packets: number): Promise<void> {
    const script = join(import.meta.dirname, '../flood.ts');
    const words = [process.execPath, script, String(packets), WEB4];
    expect(await world.network.inside(world.network.clients[0], ...(words as [string, ...string[]]))).toBe('sent\n');
  }

  /** What the internet saw of the flood. Nothing is lost between the node and it. */
  async function witness(): Promise<{ packets: number; bytes: number }> {
    const listed = await world.network.inside(internet(), 'nft', 'list', 'counter', 'inet', 'witness', 'flood');
    const [, packets, bytes] = /packets (\d+) bytes (\d+)/.exec(listed) ?? [];
    return { packets: Number(packets), bytes: Number(bytes) };
  }

  /** Entries of the table of connections that all configs of the node share. */
  async function openFlows(): Promise<number> {
    return Number(await world.network.inside(node(), 'cat', '/proc/sys/net/netfilter/nf_conntrack_count'));
  }

  /** TCP connections that have ended are in the table for two more minutes, and not in the kernel's count. */
  async function udpFlowsOf(address: string): Promise<number> {
    const listed = await world.network.inside(node(), 'cat', '/proc/net/nf_conntrack');
    return listed.split('\n').filter((line) => line.includes(' udp ') && line.includes(` src=${address} `)).length;
  }

  /** A limit stays with its element: this one is made by a rule that is gone again, so the slot's rate is no longer in the way. */
  async function liftRate(): Promise<void> {
    const chain = ['inet', world.table, 'raha_flow_limits'];
    const mark = swapBytes(2);
    await nft(node(), [`flush set inet ${world.table} new_flows`]);
    await nft(node(), [
      `insert rule ${chain.join(' ')} meta mark ${mark} update @new_flows { meta mark limit rate over 1000000/second burst 1000000 packets } drop`,
    ]);
    expect(await device.fetch()).toBe('198.51.100.2');
    const listed = await world.network.inside(node(), 'nft', '-a', 'list', 'chain', ...chain);
    const handle = /over 1000000\/second.* handle (\d+)/.exec(listed)?.[1];
    await nft(node(), [`delete rule ${chain.join(' ')} handle ${handle}`]);
  }
});

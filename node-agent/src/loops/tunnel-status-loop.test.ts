import { limits } from '@raha/contract/limits.ts';
import { afterEach, expect, test, vi } from 'vitest';
import type { AgentContext } from '../agent-context.ts';
import type { Tunnel } from '../tunnels/tunnel.ts';
import { readTunnelStatus } from '../tunnels/tunnel-status.ts';
import { createStatusCheck } from './tunnel-status-loop.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A node with two configs, or more, whose daemon lists what the test says and takes as long. */
function createToy(protocol: 'wireguard' | 'openvpn', hasSessions: boolean, configs: readonly string[] = ['a', 'b']) {
  const toy = { ages: new Map<string, number>(), elapsedMs: 0, costMs: 0, requests: 0, notifications: 0, hangs: false };
  const tunnel = {
    protocol,
    name: protocol,
    hasSessions,
    interfaceName: 'raha0',
    listActivity: async () => {
      toy.requests += 1;
      if (toy.hangs) await new Promise(() => {});
      toy.elapsedMs += toy.costMs;
      return [...toy.ages].map(([credential, handshakeAgeSeconds]) => ({ credential, handshakeAgeSeconds }));
    },
  } as unknown as Tunnel;
  const peers = configs.map((id) => ({ id, protocol, publicKey: id, commonName: id, address4: '10.64.0.2' }));
  const context = {
    tunnels: [tunnel],
    applied: { peers: new Map(peers.map((peer) => [peer.id, peer])) },
    metering: { usage: { configs: new Map(), seq: 0 } },
    tunnelState: { up: new Set([protocol]), live: new Map() },
    log: { warn: () => {} },
    roundTrips: { find: () => null, refresh: () => {} },
    elapsedMs: () => toy.elapsedMs,
  } as unknown as AgentContext;
  const check = createStatusCheck(context, () => {
    toy.notifications += 1;
  });
  return { toy, context, check };
}

test('a new device notifies once until it is reported', async () => {
  const { toy, context, check } = createToy('wireguard', false);
  await check();
  expect(toy.notifications).toBe(0);
  toy.ages.set('a', 0);
  await check();
  await check();
  expect(toy.notifications).toBe(1);
  await readTunnelStatus(context);
  await check();
  expect(toy.notifications).toBe(1);
  toy.ages.set('b', 3);
  await check();
  expect(toy.notifications).toBe(2);
});

test('a device that has long been silent is no change, one that comes back is', async () => {
  const { toy, context, check } = createToy('wireguard', false);
  toy.ages.set('a', 100_000);
  await check();
  expect(toy.notifications).toBe(0);
  toy.ages.set('a', 1);
  await check();
  await readTunnelStatus(context);
  toy.ages.set('a', 100_000);
  await readTunnelStatus(context);
  toy.ages.set('a', 1);
  await check();
  expect(toy.notifications).toBe(2);
});

test('a device that changed its transport is where it was heard last, and reported once', async () => {
  const { toy, context } = createToy('openvpn', true);
  const overTcp = { ...context.tunnels[0], name: 'openvpn_tcp', interfaceName: 'raha0ot' } as Tunnel;
  overTcp.listActivity = async () => [{ credential: 'a', handshakeAgeSeconds: 1 }];
  (context.tunnels as Tunnel[]).push(overTcp);
  context.tunnelState.up.add('openvpn_tcp');
  toy.ages.set('a', 25);
  expect(await readTunnelStatus(context)).toEqual([{ config: 'a', handshakeAgeSeconds: 1, pingMs: null }]);
  expect(context.tunnelState.live.get('a')).toBe(overTcp);
  // The session that it left ends: it has not disconnected.
  toy.ages.clear();
  expect(await readTunnelStatus(context)).toEqual([{ config: 'a', handshakeAgeSeconds: 1, pingMs: null }]);
});

test('a disconnect is a change if the daemon knows of it', async () => {
  const { toy, context, check } = createToy('openvpn', true);
  toy.ages.set('a', 0);
  await check();
  await readTunnelStatus(context);
  toy.ages.clear();
  await check();
  expect(toy.notifications).toBe(2);
});

test('checks take less than a twelfth of the time, however long one takes', async () => {
  const { toy, check } = createToy('wireguard', false);
  toy.costMs = 1;
  expect(await check()).toBe(400);
  toy.costMs = 60;
  expect(await check()).toBe(750);
});

test('there is no check when every config has its device', async () => {
  const { toy, context, check } = createToy('wireguard', false);
  toy.ages.set('a', 1).set('b', 1);
  await readTunnelStatus(context);
  const before = toy.requests;
  await check();
  expect(toy.requests).toBe(before);
});

test('a daemon that hangs delays no report, and its devices do not count as disconnected', async () => {
  vi.useFakeTimers();
  const { toy, context } = createToy('openvpn', true);
  toy.ages.set('a', 0);
  await readTunnelStatus(context);
  toy.hangs = true;
  const silent = readTunnelStatus(context);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await silent).toEqual([]);
  toy.hangs = false;
  toy.ages.clear();
  expect(await readTunnelStatus(context)).toMatchObject([{ config: 'a', disconnected: true }]);
});

test('when more are live than fit, disconnected devices come first, then new ones, and the others in rotation', async () => {
  const room = limits.node.maxSamplesPerReport;
  const there = Array.from({ length: 2 * room }, (_, index) => `there-${index}`);
  const { toy, context } = createToy('openvpn', true, [...there, 'leaver', 'newcomer']);
  const report = async () => {
    const tunnels = await readTunnelStatus(context);
    Object.assign(context.metering.usage, { seq: context.metering.usage.seq + 1 });
    return tunnels;
  };
  for (const config of [...there, 'leaver']) toy.ages.set(config, 1);
  const first = new Set<string>();
  for (let turn = 0; turn < 3; turn++) for (const { config } of await report()) first.add(config);
  expect(first.size).toBe(2 * room + 1);
  toy.ages.delete('leaver');
  toy.ages.set('newcomer', 0);
  const tunnels = await report();
  expect(tunnels.slice(0, 2)).toMatchObject([{ config: 'leaver', disconnected: true }, { config: 'newcomer' }]);
  expect(tunnels.length).toBe(room);
  const others = new Set(tunnels.map(({ config }) => config));
  for (let turn = 0; turn < 3; turn++) for (const { config } of await report()) others.add(config);
  expect(others.size).toBe(2 * room + 2);
});

test('disconnected devices that do not fit are in the next report', async () => {
  const room = limits.node.maxSamplesPerReport;
  const all = Array.from({ length: room + 1 }, (_, index) => `config-${index}`);
  const { toy, context } = createToy('openvpn', true, all);
  for (const config of all) toy.ages.set(config, 1);
  for (let turn = 0; turn < 2; turn++) await readTunnelStatus(context);
  toy.ages.clear();
  expect((await readTunnelStatus(context)).length).toBe(room);
  expect((await readTunnelStatus(context)).map(({ disconnected }) => disconnected)).toEqual([true]);
  expect(await readTunnelStatus(context)).toEqual([]);
});

import { limits } from '@raha/contract/limits.ts';
import { afterEach, expect, test, vi } from 'vitest';
import type { Runtime } from '../runtime.ts';
import type { Tunnel } from '../tunnels/tunnel.ts';
import { takeSigns } from '../tunnels/tunnel-status.ts';
import { createLook } from './tunnel-status-loop.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A node with two configs, or others, whose daemons say what the test says and take as long. */
function createToy(protocol: 'wireguard' | 'openvpn', hasSessions: boolean, configs: readonly string[] = ['a', 'b']) {
  const toy = { ages: new Map<string, number>(), elapsedMs: 0, costMs: 0, asked: 0, rings: 0, hangs: false };
  const tunnel = {
    protocol,
    hasSessions,
    interfaceName: 'raha0',
    listLives: async () => {
      toy.asked += 1;
      if (toy.hangs) await new Promise(() => {});
      toy.elapsedMs += toy.costMs;
      return [...toy.ages].map(([credential, handshakeAgeSeconds]) => ({ credential, handshakeAgeSeconds }));
    },
  } as unknown as Tunnel;
  const peers = configs.map((id) => ({ id, protocol, publicKey: id, commonName: id, address4: '10.64.0.2' }));
  const runtime = {
    tunnels: [tunnel],
    up: new Set([protocol]),
    peers: new Map(peers.map((peer) => [peer.id, peer])),
    usage: { configs: new Map(), seq: 0 },
    log: { warn: () => {} },
    live: new Map(),
    roundTrips: { find: () => null, refresh: () => {} },
    elapsedMs: () => toy.elapsedMs,
  } as unknown as Runtime;
  const look = createLook(runtime, () => {
    toy.rings += 1;
  });
  return { toy, runtime, look };
}

test('a device that comes is reported at once, and only once until it is', async () => {
  const { toy, runtime, look } = createToy('wireguard', false);
  await look();
  expect(toy.rings).toBe(0);
  toy.ages.set('a', 0);
  await look();
  await look();
  expect(toy.rings).toBe(1);
  await takeSigns(runtime);
  await look();
  expect(toy.rings).toBe(1);
  toy.ages.set('b', 3);
  await look();
  expect(toy.rings).toBe(2);
});

test('one that has long been silent is no news, one that comes back is', async () => {
  const { toy, runtime, look } = createToy('wireguard', false);
  toy.ages.set('a', 100_000);
  await look();
  expect(toy.rings).toBe(0);
  toy.ages.set('a', 1);
  await look();
  await takeSigns(runtime);
  toy.ages.set('a', 100_000);
  await takeSigns(runtime);
  toy.ages.set('a', 1);
  await look();
  expect(toy.rings).toBe(2);
});

test('leaving is news where the daemon knows of it', async () => {
  const { toy, runtime, look } = createToy('openvpn', true);
  toy.ages.set('a', 0);
  await look();
  await takeSigns(runtime);
  toy.ages.clear();
  await look();
  expect(toy.rings).toBe(2);
});

test('looking takes less than a twelfth of the time, however long a look takes', async () => {
  const { toy, look } = createToy('wireguard', false);
  toy.costMs = 1;
  expect(await look()).toBe(400);
  toy.costMs = 60;
  expect(await look()).toBe(750);
});

test('nobody looks where every config has its device', async () => {
  const { toy, runtime, look } = createToy('wireguard', false);
  toy.ages.set('a', 1).set('b', 1);
  await takeSigns(runtime);
  const { asked } = toy;
  await look();
  expect(toy.asked).toBe(asked);
});

test('a daemon that hangs holds no report up, and nobody has disconnected for its silence', async () => {
  vi.useFakeTimers();
  const { toy, runtime } = createToy('openvpn', true);
  toy.ages.set('a', 0);
  await takeSigns(runtime);
  toy.hangs = true;
  const silent = takeSigns(runtime);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await silent).toEqual([]);
  toy.hangs = false;
  toy.ages.clear();
  expect(await takeSigns(runtime)).toMatchObject([{ config: 'a', disconnected: true }]);
});

test('where more are live than fit, leaving is told first, then coming, and of the others all by turns', async () => {
  const room = limits.node.maxSamplesPerReport;
  const there = Array.from({ length: 2 * room }, (_, index) => `there-${index}`);
  const { toy, runtime } = createToy('openvpn', true, [...there, 'goes', 'comes']);
  const report = async () => {
    const signs = await takeSigns(runtime);
    Object.assign(runtime, { usage: { ...runtime.usage, seq: runtime.usage.seq + 1 } });
    return signs;
  };
  for (const config of [...there, 'goes']) toy.ages.set(config, 1);
  const first = new Set<string>();
  for (let turn = 0; turn < 3; turn++) for (const { config } of await report()) first.add(config);
  expect(first.size).toBe(2 * room + 1);
  toy.ages.delete('goes');
  toy.ages.set('comes', 0);
  const signs = await report();
  expect(signs.slice(0, 2)).toMatchObject([{ config: 'goes', disconnected: true }, { config: 'comes' }]);
  expect(signs.length).toBe(room);
  const others = new Set(signs.map(({ config }) => config));
  for (let turn = 0; turn < 3; turn++) for (const { config } of await report()) others.add(config);
  expect(others.size).toBe(2 * room + 2);
});

test('those who have disconnected and do not fit are told of in the next report', async () => {
  const room = limits.node.maxSamplesPerReport;
  const all = Array.from({ length: room + 1 }, (_, index) => `config-${index}`);
  const { toy, runtime } = createToy('openvpn', true, all);
  for (const config of all) toy.ages.set(config, 1);
  for (let turn = 0; turn < 2; turn++) await takeSigns(runtime);
  toy.ages.clear();
  expect((await takeSigns(runtime)).length).toBe(room);
  expect((await takeSigns(runtime)).map(({ disconnected }) => disconnected)).toEqual([true]);
  expect(await takeSigns(runtime)).toEqual([]);
});

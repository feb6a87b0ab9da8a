import { expect, test } from 'vitest';
import type { Runtime } from './runtime.ts';
import { createLook } from './sign-loop.ts';
import { takeSigns } from './signs.ts';
import type { Tunnel } from './tunnels/tunnel.ts';

/** A node with two configs, whose daemons say what the test says and take as long. */
function createToy(protocol: 'wireguard' | 'openvpn', hasSessions: boolean) {
  const toy = { ages: new Map<string, number>(), elapsedMs: 0, costMs: 0, asked: 0, rings: 0 };
  const tunnel = {
    protocol,
    hasSessions,
    interfaceName: 'raha0',
    listLives: async () => {
      toy.asked += 1;
      toy.elapsedMs += toy.costMs;
      return [...toy.ages].map(([credential, handshakeAgeSeconds]) => ({ credential, handshakeAgeSeconds }));
    },
  } as unknown as Tunnel;
  const peers = ['a', 'b'].map((id) => ({ id, protocol, publicKey: id, commonName: id, address4: '10.64.0.2' }));
  const runtime = {
    tunnels: [tunnel],
    up: new Set([protocol]),
    peers: new Map(peers.map((peer) => [peer.id, peer])),
    usage: { configs: new Map() },
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

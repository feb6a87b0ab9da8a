import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import { expect, test } from 'vitest';
import type { OpenvpnIdentity } from '../control/plan.ts';
import { settingsFor } from './openvpn-files.ts';
import { createProxyTunnel } from './proxy.ts';
import type { ProxyEngine, ProxyUser } from './proxy-engine.ts';

const settings = { openvpn: { proxy: { address4: '10.69.0.1/16', path: '/news/live' } } } as NodeSettings;
const device = (letter: string, slot: number): OpenvpnIdentity => ({
  id: letter,
  protocol: 'openvpn',
  commonName: letter.repeat(32),
  proxyId: `id of ${letter}`,
  blocked: false,
  address4: `10.65.0.${slot}`,
  address6: `fd72:6168:6101::${slot}`,
});

/** `runs`: since before this agent. */
function world({ runs = false } = {}) {
  const users = new Map<string, ProxyUser>();
  const bytes = new Map<string, number>();
  let isAlive = false;
  let isDeaf = false;
  const hear = () => {
    if (isDeaf) throw new Error('the proxy does not answer');
  };
  const engine: ProxyEngine = {
    start: async () => {
      const adopted = runs && !isAlive;
      isAlive = true;
      return adopted;
    },
    stop: async () => {
      isAlive = false;
    },
    forget: () => users.clear(),
    isAlive: () => isAlive,
    add: async (wanted) => {
      hear();
      for (const user of wanted) users.set(user.name, user);
    },
    remove: async (names) => {
      hear();
      for (const name of names) users.delete(name);
    },
    listNames: () => [...users.keys()],
    readBytes: async () => new Map(bytes),
  };
  const errors: string[] = [];
  let nowMs = 0;
  const tunnel = createProxyTunnel(engine, {
    interfaceName: 'raha0px',
    log: { error: (event) => void errors.push(event) },
    elapsedMs: () => nowMs,
  });
  return {
    tunnel,
    users,
    bytes,
    errors,
    deafen: (deaf: boolean) => {
      isDeaf = deaf;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('a config with a credential is let in at the slot of the further network; blocked, forgotten and other configs are not', async () => {
  const { tunnel, users } = world();
  // Before the network is known nobody is: all are, when it opens.
  await tunnel.apply([device('a', 2)], []);
  expect(users.size).toBe(0);
  expect(await tunnel.open(settings)).toMatchObject({ adopted: false, nodeAddresses: ['10.69.255.253'] });
  const { proxyId: _, ...without } = device('c', 4);
  await tunnel.apply([device('a', 2), device('b', 3), without], []);
  expect([...users.values()]).toEqual([
    { name: 'a'.repeat(32), id: 'id of a', address4: '10.69.0.2' },
    { name: 'b'.repeat(32), id: 'id of b', address4: '10.69.0.3' },
  ]);
  await tunnel.apply([{ ...device('a', 2), blocked: true }], ['b'.repeat(32)]);
  expect(users.size).toBe(0);
});

test('an engine that does not hear who is to leave ends, and a failure of it stops nothing else', async () => {
  const { tunnel, users, errors, deafen } = world();
  await tunnel.open(settings);
  await tunnel.apply([device('a', 2)], []);
  deafen(true);
  await tunnel.apply([], ['a'.repeat(32)]);
  expect([await tunnel.isUp(), errors, users.size]).toEqual([false, ['proxy_users'], 1]);
});

test('a device has been here when its bytes have moved, and a count of before the agent tells nothing', async () => {
  const { tunnel, bytes, pass } = world({ runs: true });
  await tunnel.open(settings);
  bytes.set('a', 500).set('b', 0);
  expect(await tunnel.listActivity()).toEqual([]);
  pass(2_000);
  bytes.set('b', 1).set('c', 1);
  const seen = (credential: string, handshakeAgeSeconds: number) => ({ credential, handshakeAgeSeconds });
  expect(await tunnel.listActivity()).toEqual([seen('b', 0), seen('c', 0)]);
  bytes.delete('c');
  pass(30_000);
  expect(await tunnel.listActivity()).toEqual([seen('b', 30)]);
});

test('what an engine that has just been started counts is new, and a device that has done nothing since has not been here', async () => {
  const { tunnel, bytes, pass } = world();
  await tunnel.open(settings);
  bytes.set('a', 500).set('b', 0);
  expect(await tunnel.listActivity()).toEqual([{ credential: 'a', handshakeAgeSeconds: 0 }]);
  // It is started again: its counts are zero, and the next byte counts.
  await tunnel.open(settings);
  bytes.set('a', 0);
  pass(2_000);
  expect(await tunnel.listActivity()).toEqual([{ credential: 'a', handshakeAgeSeconds: 2 }]);
  bytes.set('a', 1);
  pass(2_000);
  expect(await tunnel.listActivity()).toEqual([{ credential: 'a', handshakeAgeSeconds: 0 }]);
});

test('neither OpenVPN nor OpenConnect depends on its settings', () => {
  const openvpn = { port: 1194, proxy: { address4: '10.69.0.1/16', path: '/a' } } as NodeSettings['openvpn'];
  expect(settingsFor('udp', openvpn)).toEqual({ port: 1194, hasTcp: false });
});

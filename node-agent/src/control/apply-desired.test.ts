import type { DesiredState, Peer } from '@raha/contract/node/protocol.ts';
import { expect, test } from 'vitest';
import { Firewall } from '../firewall/firewall.ts';
import { takeSample } from '../metering/take-sample.ts';
import { finishLeaving } from '../metering/usage.ts';
import { startUsage } from '../metering/usage-state.ts';
import type { Shell } from '../platform/shell.ts';
import type { Runtime } from '../runtime.ts';
import { applyDesired } from './apply-desired.ts';
import { credentialOf, type PeerIdentity } from './plan.ts';

const EPOCH = 'a'.repeat(32);
const settings = {
  wireguard: { listenPort: 51820, address4: '10.64.0.1/16', address6: 'fd72::1/64', mtu: 1420 },
  samplePeriodMs: 2_000,
  reportPeriodMs: 4_000,
};
const presharedKey = `${'A'.repeat(43)}=`;

type WireguardPeer = Extract<Peer, { protocol: 'wireguard' }>;
function peer(id: string, slot: number, more: Partial<WireguardPeer> = {}): Peer {
  const [address4, address6] = [`10.64.0.${slot}`, `fd72::${slot.toString(16)}`];
  const lease = { epoch: EPOCH, version: 1, limitBytes: 1_000 };
  return {
    id,
    protocol: 'wireguard',
    publicKey: `key-${id}`,
    presharedKey,
    address4,
    address6,
    blocked: false,
    lease,
    ...more,
  };
}

const snapshot = (...peers: Peer[]): DesiredState => ({
  kind: 'snapshot',
  generation: 5,
  settings,
  peers,
  removed: [],
});
const delta = (peers: Peer[], removed: string[] = []): DesiredState => ({
  kind: 'delta',
  generation: 6,
  settings,
  peers,
  removed,
});

const COUNTERS = `{"elem": {"val": ${0xffffffff}, "comment": "${EPOCH}", "counter": {"packets": 0, "bytes": 0}}},
  {"elem": {"val": 2, "counter": {"packets": 1, "bytes": 30}}}`;

/** A runtime with a kernel that writes down what it is told. */
function createToy() {
  const told: string[] = [];
  const errors: string[] = [];
  const shell = {
    run: async (_command: string, args: readonly string[]) =>
      ['up', 'down'].includes(args.at(-1) ?? '') ? COUNTERS : '',
  } as unknown as Shell;
  const session = { apply: async (commands: readonly string[]) => void told.push(...commands), close: () => {} };
  const place = {
    table: 't',
    interfaceNames: ['i'],
    uplinks: ['u'],
    markOf: (slot: number) => slot,
    services: { address4: '10.64.0.1', address6: 'fd72::1', resolves: true },
  };
  const tunnels = (['wireguard', 'openvpn'] as const).map((protocol) => ({
    protocol,
    settingsOf: () => undefined,
    apply: async (install: readonly PeerIdentity[], forget: readonly string[]) => {
      for (const name of forget) told.push(`forget ${name}`);
      for (const peer of install) told.push(`install ${peer.id} ${credentialOf(peer).name}`);
    },
  }));
  const runtime = {
    firewall: new Firewall(shell, session, place),
    tunnels,
    log: { error: (event: string) => errors.push(event) },
    allowMassRemoval: false,
    settings,
    generation: 0,
    peers: new Map(),
    slots: new Map(),
    highestSlot: 0,
    strangers: new Map(),
    leaving: new Set(),
    usage: startUsage(EPOCH, 'boot'),
    alarmBytes: Number.POSITIVE_INFINITY,
    ...{ bootId: 'boot', tableEpoch: EPOCH, elapsedMs: () => 0, spool: { writeUsage: async () => {} } },
  } as unknown as Runtime;
  const readLast = async () => {
    told.push('read');
    const counters = new Map([[2, { up: 30n, down: 40n }]]);
    runtime.usage = finishLeaving(runtime.usage, { epoch: EPOCH, bootId: 'boot', counters }, [...runtime.leaving]);
    runtime.leaving.clear();
  };
  const apply = async (wanted: DesiredState) => {
    told.length = 0;
    await applyDesired(runtime, wanted, readLast);
    return [...told].sort();
  };
  return { runtime, apply, told, errors };
}

const quota = (slot: number, bytes: number) => `add quota inet t slot${slot} { over ${bytes} bytes }`;

test('a new config is two words: its quota and its peer; a changed lease is one', async () => {
  const { runtime, apply } = createToy();
  expect(await apply(snapshot(peer('one', 2)))).toEqual([quota(2, 1_000), 'install one key-one']);
  const raised = { epoch: EPOCH, version: 2, limitBytes: 5_000 };
  expect(await apply(delta([peer('one', 2, { lease: raised })]))).toEqual([quota(2, 5_000)]);
  expect(await apply(delta([peer('one', 2, { lease: raised, blocked: true })]))).toEqual([
    'add element inet t barred { 2 }',
    quota(2, 0),
  ]);
  expect(await apply(delta([peer('one', 2, { lease: raised })]))).toEqual([
    'add element inet t barred { 2 }',
    quota(2, 5_000),
    'delete element inet t barred { 2 }',
  ]);
  expect(runtime.generation).toBe(6);
});

test('new keys replace the peer and leave the meter alone', async () => {
  const { apply } = createToy();
  await apply(snapshot(peer('one', 2)));
  expect(await apply(delta([peer('one', 2, { publicKey: 'new' })]))).toEqual(['forget key-one', 'install one new']);
});

test('whoever comes to a slot that somebody has left is let in by a quota alone: doors are slow to open', async () => {
  const { runtime, apply, told } = createToy();
  await apply(snapshot(peer('one', 2)));
  expect(await apply(delta([], ['one']))).toEqual(['add element inet t barred { 2 }', quota(2, 0), 'forget key-one']);
  told.length = 0;
  await takeSample(runtime);
  expect(told).toEqual(['add element inet t barred { 2 }', 'delete element inet t barred { 2 }']);
  expect(await apply(delta([peer('two', 2)]))).toEqual([quota(2, 1_060), 'install two key-two']);
});

test('a config that takes over a slot in the same change counts only after the last reading of the one before', async () => {
  const { runtime, apply, told } = createToy();
  await apply(snapshot(peer('one', 2)));
  await apply(delta([peer('two', 2)], ['one']));
  const read = told.indexOf('read');
  expect(told.slice(0, read).sort()).toEqual(['add element inet t barred { 2 }', quota(2, 0), 'forget key-one']);
  expect(told.slice(read + 1).filter((word) => !word.includes(' element '))).toEqual(
    expect.arrayContaining([quota(2, 1_070), 'install two key-two']),
  );
  expect(runtime.usage.configs.get('one')).toMatchObject({ up: 30, down: 40, presence: 'left' });
});

test('a config that cannot be metered rightly is not served, and the others are', async () => {
  const { runtime, apply, errors } = createToy();
  const peers = [
    peer('good', 2),
    peer('same slot', 2),
    peer('split', 3, { address6: 'fd72::4' }),
    peer('sly', 5, { presharedKey: 'x\nprivate_key=0' }),
  ];
  expect(await apply(snapshot(...peers))).toEqual([quota(2, 1_000), 'install good key-good']);
  expect(errors).toEqual(Array(3).fill('config_not_servable'));
  expect([...runtime.peers.keys()]).toEqual(['good']);
});

test('what fails is not acknowledged, and comes again', async () => {
  const { runtime, apply } = createToy();
  const { tunnels } = runtime;
  const broken = { protocol: 'wireguard', apply: () => Promise.reject(new Error('the daemon is gone')) };
  Object.assign(runtime, { tunnels: [broken] });
  await expect(apply(snapshot(peer('one', 2)))).rejects.toThrow();
  expect([runtime.generation, runtime.peers.size]).toEqual([0, 0]);
  Object.assign(runtime, { tunnels });
  expect(await apply(snapshot(peer('one', 2)))).toEqual(['install one key-one']);
  expect(runtime.generation).toBe(5);
});

test('peers of an adopted tunnel stay until the whole state says that nobody wants them', async () => {
  const { runtime, apply } = createToy();
  runtime.strangers.set('wireguard', new Set(['key-one', 'key-old']));
  expect(await apply(snapshot(peer('one', 2)))).toEqual([quota(2, 1_000), 'forget key-old', 'install one key-one']);
});

test('a device with a session is told of a block and of its end, and the firewall too; of another lease it is not', async () => {
  const { apply } = createToy();
  const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];
  const device = (more: object = {}): Peer => {
    const { publicKey: _, presharedKey: __, ...place } = peer('one', 2) as WireguardPeer;
    return { ...place, protocol: 'openvpn', commonName: first, ...more };
  };
  expect(await apply(snapshot(device()))).toEqual([quota(2, 1_000), `install one ${first}`]);
  const raised = { epoch: EPOCH, version: 2, limitBytes: 5_000 };
  expect(await apply(delta([device({ lease: raised })]))).toEqual([quota(2, 5_000)]);
  const [bar, unbar] = ['add element inet t barred { 2 }', 'delete element inet t barred { 2 }'];
  expect(await apply(delta([device({ lease: raised, blocked: true })]))).toEqual([
    bar,
    quota(2, 0),
    `install one ${first}`,
  ]);
  expect(await apply(delta([device({ lease: raised })]))).toEqual([
    bar,
    quota(2, 5_000),
    unbar,
    `install one ${first}`,
  ]);
  expect(await apply(delta([device({ lease: raised, commonName: second })]))).toEqual([
    `forget ${first}`,
    `install one ${second}`,
  ]);
  expect(await apply(delta([], ['one']))).toEqual([bar, quota(2, 0), `forget ${second}`]);
});

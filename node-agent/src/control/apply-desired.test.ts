import type { DesiredState, Peer } from '@raha/contract/node/protocol.ts';
import { expect, test } from 'vitest';
import type { AgentContext } from '../agent-context.ts';
import { Firewall } from '../firewall/firewall.ts';
import { createMeteringState } from '../metering/metering-state.ts';
import { takeSample } from '../metering/take-sample.ts';
import { finishRemovals } from '../metering/usage.ts';
import { nextReport } from '../metering/usage-report.ts';
import { startUsage } from '../metering/usage-state.ts';
import type { Shell } from '../platform/shell.ts';
import { createTunnelState } from '../tunnels/tunnel-state.ts';
import { createAppliedState } from './applied-state.ts';
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

/** An agent with a kernel that records its commands. */
function createToy() {
  const commands: string[] = [];
  const errors: string[] = [];
  const shell = {
    run: async (_command: string, args: readonly string[]) =>
      ['up', 'down'].includes(args.at(-1) ?? '') ? COUNTERS : '',
  } as unknown as Shell;
  const nft: { refuses: string | undefined } = { refuses: undefined };
  const session = {
    apply: async (sent: readonly string[]) => {
      if (nft.refuses !== undefined && sent.join().includes(nft.refuses)) throw new Error('nft fails');
      commands.push(...sent);
    },
    close: () => {},
  };
  const options = {
    table: 't',
    interfaceNames: ['i'],
    uplinks: ['u'],
    markOf: (slot: number) => slot,
    services: { address4: '10.64.0.1', address6: 'fd72::1', hasResolver: true },
    newFlows: { allowsSmtp: false },
  };
  const tunnels = (['wireguard', 'openvpn'] as const).map((protocol) => ({
    protocol,
    name: protocol,
    settingsOf: () => undefined,
    apply: async (install: readonly PeerIdentity[], forget: readonly string[]) => {
      for (const name of forget) commands.push(`forget ${name}`);
      for (const peer of install) commands.push(`install ${peer.id} ${credentialOf(peer).name}`);
    },
  }));
  const metering = { ...createMeteringState(startUsage(EPOCH, 'boot'), 0), tableEpoch: EPOCH };
  const context = {
    firewall: new Firewall(shell, session, options),
    tunnels,
    log: { info: () => {}, warn: () => {}, error: (event: string) => errors.push(event) },
    allowMassRemoval: false,
    applied: createAppliedState(settings, null),
    metering,
    tunnelState: createTunnelState(),
    ...{ bootId: 'boot', elapsedMs: () => 0, spool: { writeUsage: async () => {} } },
  } as unknown as AgentContext;
  // As after the agent's start.
  void context.firewall.redirectToWireguard(settings.wireguard.listenPort, []);
  const finishRemoval = async () => {
    commands.push('read');
    const counters = new Map([[2, { up: 30n, down: 40n }]]);
    metering.usage = finishRemovals(metering.usage, { epoch: EPOCH, bootId: 'boot', counters }, [...metering.removing]);
    metering.removing.clear();
  };
  const apply = async (desired: DesiredState) => {
    commands.length = 0;
    await applyDesired(context, desired, finishRemoval);
    return [...commands].sort();
  };
  return { context, apply, commands, errors, nft };
}

const quota = (slot: number, bytes: number) => `add quota inet t slot${slot} { over ${bytes} bytes }`;

test('a new config takes two commands, for its quota and its peer; a changed lease takes one', async () => {
  const { context, apply } = createToy();
  expect(await apply(snapshot(peer('one', 2)))).toEqual([quota(2, 1_000), 'install one key-one']);
  const raised = { epoch: EPOCH, version: 2, limitBytes: 5_000 };
  expect(await apply(delta([peer('one', 2, { lease: raised })]))).toEqual([quota(2, 5_000)]);
  expect(await apply(delta([peer('one', 2, { lease: raised, blocked: true })]))).toEqual([
    'add element inet t blocked { 2 }',
    quota(2, 0),
  ]);
  expect(await apply(delta([peer('one', 2, { lease: raised })]))).toEqual([
    'add element inet t blocked { 2 }',
    quota(2, 5_000),
    'delete element inet t blocked { 2 }',
  ]);
  expect(context.applied.generation).toBe(6);
});

test('new keys replace the peer and leave the meter alone', async () => {
  const { apply } = createToy();
  await apply(snapshot(peer('one', 2)));
  expect(await apply(delta([peer('one', 2, { publicKey: 'new' })]))).toEqual(['forget key-one', 'install one new']);
});

test('the next config of a slot needs only a quota, because changes of policies are slow', async () => {
  const { context, apply, commands } = createToy();
  await apply(snapshot(peer('one', 2)));
  expect(await apply(delta([], ['one']))).toEqual(['add element inet t blocked { 2 }', quota(2, 0), 'forget key-one']);
  commands.length = 0;
  await takeSample(context);
  expect(commands).toEqual(['add element inet t blocked { 2 }', 'delete element inet t blocked { 2 }']);
  expect(await apply(delta([peer('two', 2)]))).toEqual([quota(2, 1_060), 'install two key-two']);
});

test('a config that reuses a slot in the same change counts only after the final reading of the one before', async () => {
  const { context, apply, commands } = createToy();
  await apply(snapshot(peer('one', 2)));
  await apply(delta([peer('two', 2)], ['one']));
  const read = commands.indexOf('read');
  expect(commands.slice(0, read).sort()).toEqual(['add element inet t blocked { 2 }', quota(2, 0), 'forget key-one']);
  expect(commands.slice(read + 1).filter((word) => !word.includes(' element '))).toEqual(
    expect.arrayContaining([quota(2, 1_070), 'install two key-two']),
  );
  expect(context.metering.usage.configs.get('one')).toMatchObject({ up: 30, down: 40, presence: 'removed' });
});

test('a config that cannot be metered correctly is not served; the others are', async () => {
  const { context, apply, errors } = createToy();
  const peers = [
    peer('good', 2),
    peer('same slot', 2),
    peer('split', 3, { address6: 'fd72::4' }),
    peer('injected', 5, { presharedKey: 'x\nprivate_key=0' }),
  ];
  expect(await apply(snapshot(...peers))).toEqual([quota(2, 1_000), 'install good key-good']);
  expect(errors).toEqual(Array(3).fill('config_not_servable'));
  expect([...context.applied.peers.keys()]).toEqual(['good']);
});

test('a failed change is not acknowledged, and comes again', async () => {
  const { context, apply } = createToy();
  const { tunnels } = context;
  const broken = { protocol: 'wireguard', apply: () => Promise.reject(new Error('the daemon is gone')) };
  Object.assign(context, { tunnels: [broken] });
  await expect(apply(snapshot(peer('one', 2)))).rejects.toThrow();
  expect([context.applied.generation, context.applied.peers.size]).toEqual([0, 0]);
  Object.assign(context, { tunnels });
  expect(await apply(snapshot(peer('one', 2)))).toEqual(['install one key-one']);
  expect(context.applied.generation).toBe(5);
});

test('unknown peers of an adopted tunnel stay until the complete state does not contain them', async () => {
  const { context, apply } = createToy();
  context.tunnelState.unknownPeers.set('wireguard', new Set(['key-one', 'key-old']));
  expect(await apply(snapshot(peer('one', 2)))).toEqual([quota(2, 1_000), 'forget key-old', 'install one key-one']);
});

test('a protocol with sessions hears of a block and its end; of another lease only the firewall hears', async () => {
  const { apply } = createToy();
  const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];
  const device = (more: object = {}): Peer => {
    const { publicKey: _, presharedKey: __, ...rest } = peer('one', 2) as WireguardPeer;
    return { ...rest, protocol: 'openvpn', commonName: first, ...more };
  };
  expect(await apply(snapshot(device()))).toEqual([quota(2, 1_000), `install one ${first}`]);
  const raised = { epoch: EPOCH, version: 2, limitBytes: 5_000 };
  expect(await apply(delta([device({ lease: raised })]))).toEqual([quota(2, 5_000)]);
  const [block, unblock] = ['add element inet t blocked { 2 }', 'delete element inet t blocked { 2 }'];
  expect(await apply(delta([device({ lease: raised, blocked: true })]))).toEqual([
    block,
    quota(2, 0),
    `install one ${first}`,
  ]);
  expect(await apply(delta([device({ lease: raised })]))).toEqual([
    block,
    quota(2, 5_000),
    unblock,
    `install one ${first}`,
  ]);
  expect(await apply(delta([device({ lease: raised, commonName: second })]))).toEqual([
    `forget ${first}`,
    `install one ${second}`,
  ]);
  expect(await apply(delta([], ['one']))).toEqual([block, quota(2, 0), `forget ${second}`]);
});

test('further ports of WireGuard that could not be opened are tried again with the next change', async () => {
  const { apply, nft } = createToy();
  const morePorts = { ...settings, wireguard: { ...settings.wireguard, morePorts: [47_001] } };
  const change = { ...delta([peer('one', 2)]), settings: morePorts };
  nft.refuses = 'wireguard_ports';
  await expect(apply(change)).rejects.toThrow('nft fails');
  nft.refuses = undefined;
  expect(await apply(change)).toContain('add element inet t wireguard_ports { 47001 : 51820 }');
  expect((await apply(change)).join()).not.toContain('wireguard_ports');
});

test.each([
  ['went back', 9],
  ['has gone on since', 3],
])('a control plane that was restored from a backup and %s is told all totals and leases again', async (_, applied) => {
  const { context, apply } = createToy();
  await apply(snapshot(peer('one', 2)));
  const config = context.metering.usage.configs.get('one');
  if (!config) throw new Error('the config is not there');
  const acknowledged = { up: 5, down: 7, leaseVersion: 1 };
  context.metering.usage = {
    ...context.metering.usage,
    configs: new Map([['one', { ...config, up: 5, down: 7, acknowledged }]]),
  };
  context.applied.generation = applied;
  await apply(snapshot(peer('one', 2)));
  expect(
    nextReport(context.metering.usage, {
      ...{ tunnels: [], load: 0, protocols: ['wireguard'], agentVersion: 'test', ageMs: 0 },
      ...{ blockedQueries: [], blockedNames: 0, wireguardPorts: [] },
    }).report.samples,
  ).toEqual([{ config: 'one', up: 5, down: 7, leaseVersion: 1 }]);
  expect(context.applied.generation).toBe(5);
});

import type { NodeSettings, ReachNetworks } from '@raha/contract/node/protocol.ts';
import { expect, test } from 'vitest';
import { CommandFailed } from '../platform/shell.ts';
import { createReach, entriesOf } from './reach.ts';

const wireguard = { listenPort: 51_820, address4: '10.64.0.1/16', address6: 'fd72::1/64', mtu: 1420 };
const settings = {
  wireguard,
  openvpn: { port: 1194, tcp: { port: 443 } },
  ikev2: {},
  reach: { list: 'a'.repeat(16), periodMs: 1_000 },
} as NodeSettings;
const MORE = [53];

type Counted = readonly (readonly [mark: number, protocol: 'tcp' | 'udp', port: number, packets: number])[];

/** nft, whose sets are what the test says; undefined: there is no table. */
function createToy() {
  const toy = {
    attempts: [] as Counted,
    through: [] as Counted,
    exists: false,
    scripts: [] as string[],
    lists: 0,
    isAway: false,
  };
  const run = async (_command: string, args: readonly string[], options?: { input?: string }) => {
    const set = args.at(-1) as 'attempts' | 'through';
    if (args.includes('list')) {
      if (!toy.exists) throw new CommandFailed('nft', 'No such file or directory', 1);
      const element = ([mark, protocol, port, packets]: Counted[number]) =>
        `{"elem": {"val": {"concat": [${mark}, "${protocol}", ${port}]}, "counter": {"packets": ${packets}, "bytes": 9}}}`;
      return toy[set].map(element).join(', ');
    }
    toy.scripts.push(options?.input ?? '');
    toy.exists = options?.input?.includes('add chain') ?? false;
    Object.assign(toy, { attempts: [], through: [] });
    return '';
  };
  const networks: ReachNetworks['networks'] = [
    { network: 64_496, ranges: ['203.0.113.0-203.0.113.255', '2001:db8:c::-2001:db8:c::ffff'] },
    { network: 64_497, ranges: ['203.0.114.0-203.0.114.255'] },
  ];
  const getNetworks = async () => {
    if (toy.isAway) throw new Error('away');
    toy.lists += 1;
    return { list: settings.reach?.list ?? '', networks };
  };
  const reach = createReach({ shell: { run }, table: 't', uplinks: ['eth0'], getNetworks });
  const count = async (now: NodeSettings, morePorts: readonly number[]) => {
    await reach.update(now, morePorts);
    expect(reach.isCurrent(now, morePorts)).toBe(true);
    return reach.take().reach;
  };
  return { toy, reach: { ...reach, count } };
}

test('what leaves the node is rounded down, and the rest waits', async () => {
  const { toy, reach } = createToy();
  expect(await reach.count(settings, MORE)).toEqual([]);
  toy.attempts = [
    [1, 'udp', 51_820, 12],
    [1, 'udp', 53, 9],
    [2, 'tcp', 443, 4],
    [2, 'udp', 500, 5],
  ];
  toy.through = [
    [1, 'udp', 51_820, 9],
    [2, 'udp', 4_500, 5],
  ];
  expect(await reach.count(settings, MORE)).toEqual([
    { network: 64_496, transport: 'wireguard', attempts: 10, through: 5 },
    { network: 64_496, transport: 'wireguard', port: 53, attempts: 5, through: 0 },
    { network: 64_497, transport: 'ikev2', attempts: 5, through: 5 },
  ]);
  toy.attempts = [
    [1, 'udp', 51_820, 15],
    [2, 'tcp', 443, 5],
  ];
  toy.through = [[1, 'udp', 51_820, 10]];
  expect(await reach.count(settings, MORE)).toEqual([
    { network: 64_496, transport: 'wireguard', attempts: 5, through: 5 },
    { network: 64_497, transport: 'openvpn_tcp', attempts: 5, through: 0 },
  ]);
  expect(await reach.count(settings, MORE)).toEqual([]);
  expect([toy.scripts.length, toy.lists]).toEqual([1, 1]);
});

test('other ports and a new list make a new table, after the old one was read', async () => {
  const { toy, reach } = createToy();
  await reach.count(settings, MORE);
  toy.attempts = [[1, 'udp', 53, 5]];
  const fewer = await reach.count(settings, []);
  expect(fewer).toEqual([{ network: 64_496, transport: 'wireguard', port: 53, attempts: 5, through: 0 }]);
  expect([toy.scripts.length, toy.lists]).toEqual([2, 1]);
  await reach.count({ ...settings, reach: { list: 'b'.repeat(16), periodMs: 1_000 } }, []);
  expect([toy.scripts.length, toy.lists]).toEqual([3, 2]);
});

test('a table that somebody removed is built again; switched off, there is none', async () => {
  const { toy, reach } = createToy();
  await reach.count(settings, MORE);
  toy.exists = false;
  await reach.count(settings, MORE);
  expect(toy.scripts).toHaveLength(2);
  const { reach: _, ...off } = settings;
  await reach.count(off as NodeSettings, MORE);
  expect(toy.exists).toBe(false);
  await reach.count(off as NodeSettings, MORE);
  expect(toy.scripts).toHaveLength(3);
});

test('only what the node serves is looked at', () => {
  expect(entriesOf({ wireguard } as NodeSettings, [])).toEqual([{ transport: 'wireguard', port: 51_820 }]);
  expect(entriesOf(settings, MORE).map(({ transport, port }) => `${transport} ${port}`)).toEqual([
    'wireguard 51820',
    'wireguard 53',
    'openvpn 1194',
    'openvpn_tcp 443',
    'ikev2 500',
    'ikev2 4500',
  ]);
});

test('what was counted waits while a list cannot be fetched', async () => {
  const { toy, reach } = createToy();
  await reach.count(settings, MORE);
  toy.attempts = [[1, 'udp', 53, 5]];
  toy.isAway = true;
  const other = { ...settings, reach: { list: 'b'.repeat(16), periodMs: 1_000 } };
  await expect(reach.update(other, MORE)).rejects.toThrow('away');
  expect(reach.isCurrent(other, MORE)).toBe(false);
  expect(reach.take().reach).toHaveLength(1);
});

test('what comes by a relay counts for the relay, wherever it stands; another relay makes another table', async () => {
  const { toy, reach } = createToy();
  const relay = '00000000-0000-7000-8000-000000000001';
  const relays = { probePort: 24_443, periodMs: 15_000 };
  // In the first network's range.
  const own = { id: relay, address4: '203.0.113.9', address6: '2001:db8:c::9' };
  const withRelay = { ...settings, relays: { ...relays, relays: [own] } };
  await reach.count(withRelay, MORE);
  expect(toy.scripts.at(-1)).toContain('add element inet t relays4 { 203.0.113.9 : 3 }');
  expect(toy.scripts.at(-1)).toContain('add element inet t relays6 { 2001:db8:c::9 : 3 }');
  toy.attempts = [
    [3, 'udp', 51_820, 10],
    [3, 'udp', 53, 5],
    [1, 'udp', 51_820, 5],
    [4, 'udp', 51_820, 5],
  ];
  toy.through = [[3, 'udp', 51_820, 5]];
  await reach.update(withRelay, MORE);
  expect(reach.take()).toEqual({
    reach: [{ network: 64_496, transport: 'wireguard', attempts: 5, through: 0 }],
    relayReach: [{ relay, transport: 'wireguard', attempts: 15, through: 5 }],
  });
  expect(reach.isCurrent(settings, MORE)).toBe(false);
  const moved = { ...withRelay, relays: { ...relays, relays: [{ ...own, address6: null }] } };
  expect(reach.isCurrent(moved, MORE)).toBe(false);
});

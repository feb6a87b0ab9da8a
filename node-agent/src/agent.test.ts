import { expect, test } from 'vitest';
import { startAgent } from './agent.ts';
import { Firewall } from './firewall/firewall.ts';
import { startUsage } from './metering/usage-state.ts';
import type { Shell } from './platform/shell.ts';
import type { Runtime } from './runtime.ts';

const EPOCH = 'a'.repeat(32);
const MARK = `{"elem": {"val": ${0xffffffff}, "comment": "${EPOCH}", "counter": {"packets": 0, "bytes": 0}}}`;

/** A node that writes down what it does, and whose parts fail where the test says. */
function createToy() {
  const toy = { done: [] as string[], failing: '' };
  const act = async (what: string) => {
    toy.done.push(what);
    if (toy.failing === what) throw new Error(`${what} fails`);
    return MARK;
  };
  const shell = {
    run: async (_command: string, args: readonly string[]) => {
      if (args.includes('list')) return args.at(-1) === 'up' ? await act('sample') : '';
      return await act('table removed');
    },
  } as unknown as Shell;
  const services = { address4: '10.64.0.1', address6: 'fd72::1', resolves: true };
  const place = { table: 't', interfaceNames: ['i'], uplinks: ['u'], markOf: (slot: number) => slot, services };
  const tunnels = ['one', 'two'].map((protocol) => ({
    protocol,
    interfaceName: 'absent',
    settingsOf: () => undefined,
    onLost: () => {},
    close: (teardown: boolean) => act(`${protocol} ${teardown ? 'taken away' : 'left'}`),
  }));
  const never = () => new Promise(() => {});
  const reportUsage = async () => {
    await act('report');
    return { ackSeq: 1, epoch: 'continue', leases: [] };
  };
  const usage = startUsage(EPOCH, 'boot');
  const runtime = {
    firewall: new Firewall(shell, { apply: async () => {}, close: () => {} }, place),
    tunnels,
    spool: { writeUsage: async () => {}, writeWanted: () => act('wanted') },
    client: { getDesiredState: never, certify: never, reportUsage, clockOffsetMs: () => undefined },
    health: { readLoad: async () => 0, readDisk: async () => undefined },
    services: {
      page: { keep: never, close: () => {} },
      reach: { find: never },
      resolver: { keep: never, blockedNames: () => 0, stop: () => act('resolver stopped') },
    },
    roundTrips: { refresh: () => {} },
    upgrader: {},
    log: { info: () => {}, warn: () => {}, error: () => {} },
    ...{ settings: { samplePeriodMs: 1e9, reportPeriodMs: 1e9 }, bootId: 'boot', agentVersion: '1', generation: 0 },
    ...{ peers: new Map(), slots: new Map(), leaving: new Set(), withheld: new Map(), live: new Map(), up: new Set() },
    ...{ usage, tableEpoch: usage.epoch, lastReadingMs: 0, alarmBytes: Number.POSITIVE_INFINITY },
    elapsedMs: () => 0,
    mintId: () => 'b'.repeat(32),
  } as unknown as Runtime;
  return { runtime, toy };
}

const options = { random: Math.random, onBroken: () => {}, onReplaced: () => {} };

/** What an agent does from its first report to its end. */
async function end(teardown: boolean, failing = ''): Promise<string[]> {
  const { runtime, toy } = createToy();
  const agent = startAgent(runtime, options);
  await expect.poll(() => toy.done).toEqual(['report']);
  Object.assign(toy, { done: [], failing });
  await agent.stop(teardown);
  return toy.done;
}

const ALL = ['one taken away', 'two taken away', 'wanted', 'sample', 'report', 'table removed', 'resolver stopped'];

test('an agent that takes its node down closes the tunnels before it reads for the last time', async () => {
  expect(await end(true)).toEqual(ALL);
});

test.each(ALL)('it goes on where this fails: %s', async (failing) => {
  expect(await end(true, failing)).toEqual(ALL);
});

test('an agent that is only replaced leaves tunnels, table and resolver as they are', async () => {
  expect(await end(false)).toEqual(['one left', 'two left', 'wanted', 'sample']);
});

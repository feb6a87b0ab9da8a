import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import { expect, test } from 'vitest';
import { startAgent } from './agent.ts';
import type { AgentContext } from './agent-context.ts';
import { createAppliedState } from './control/applied-state.ts';
import { createControlState } from './control/control-state.ts';
import { Firewall } from './firewall/firewall.ts';
import { createMeteringState } from './metering/metering-state.ts';
import { startUsage } from './metering/usage-state.ts';
import type { Shell } from './platform/shell.ts';
import { createTunnelState } from './tunnels/tunnel-state.ts';

const EPOCH = 'a'.repeat(32);
const MARK = `{"elem": {"val": ${0xffffffff}, "comment": "${EPOCH}", "counter": {"packets": 0, "bytes": 0}}}`;

/** A node that records what it does, and whose parts fail where the test says. */
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
  const services = { address4: '10.64.0.1', address6: 'fd72::1', hasResolver: true };
  const firewallOptions = {
    table: 't',
    interfaceNames: ['i'],
    uplinks: ['u'],
    markOf: (slot: number) => slot,
    services,
    newFlows: { allowsSmtp: false },
  };
  const tunnels = ['one', 'two'].map((protocol) => ({
    protocol,
    name: protocol,
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
  const context = {
    firewall: new Firewall(shell, { apply: async () => {}, close: () => {} }, firewallOptions),
    tunnels,
    spool: { writeUsage: async () => {}, writeDesired: () => act('desired') },
    client: { getDesiredState: never, certify: never, reportUsage, clockOffsetMs: () => undefined },
    health: { readLoad: async () => 0, readDisk: async () => undefined },
    captivePortal: { ensureListening: never, close: () => {} },
    walledGarden: { resolve: never },
    resolver: { ensureRunning: never, blockedNames: () => 0, stop: () => act('resolver stopped') },
    roundTrips: { refresh: () => {}, watch: () => {} },
    reach: { take: () => ({ reach: [], relayReach: [] }), remove: async () => {} },
    speedQueues: { bring: async () => {}, remove: async () => {} },
    relayProbe: { take: () => [], tryAll: async () => {}, close: () => {} },
    upgrader: {},
    log: { info: () => {}, warn: () => {}, error: () => {} },
    ...{ bootId: 'boot', agentVersion: '1', random: Math.random },
    applied: createAppliedState({ samplePeriodMs: 1e9, reportPeriodMs: 1e9 } as NodeSettings, null),
    metering: { ...createMeteringState(usage, 0), tableEpoch: usage.epoch },
    tunnelState: createTunnelState(),
    control: createControlState(),
    elapsedMs: () => 0,
    mintId: () => 'b'.repeat(32),
  } as unknown as AgentContext;
  return { context, toy };
}

const options = { onBroken: () => {}, onReplaced: () => {} };

/** What an agent does after its first report until it has stopped. */
async function end(teardown: boolean, failing = ''): Promise<string[]> {
  const { context, toy } = createToy();
  const agent = startAgent(context, options);
  await expect.poll(() => toy.done).toEqual(['report']);
  Object.assign(toy, { done: [], failing });
  await agent.stop(teardown);
  return toy.done;
}

const ALL = ['one taken away', 'two taken away', 'desired', 'sample', 'report', 'table removed', 'resolver stopped'];

test('an agent that takes its node down closes the tunnels before its last reading', async () => {
  expect(await end(true)).toEqual(ALL);
});

test.each(ALL)('it continues when this step fails: %s', async (failing) => {
  expect(await end(true, failing)).toEqual(ALL);
});

test('an agent that is only replaced leaves tunnels, table and resolver running', async () => {
  expect(await end(false)).toEqual(['one left', 'two left', 'desired', 'sample']);
});

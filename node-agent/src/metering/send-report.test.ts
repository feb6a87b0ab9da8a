import type { NodeSettings, UsageReport } from '@raha/contract/node/protocol.ts';
import { expect, test } from 'vitest';
import type { AgentContext } from '../agent-context.ts';
import { createAppliedState } from '../control/applied-state.ts';
import { Firewall } from '../firewall/firewall.ts';
import { CommandFailed, type Shell } from '../platform/shell.ts';
import { createTunnelState } from '../tunnels/tunnel-state.ts';
import { createMeteringState } from './metering-state.ts';
import { sendReport } from './send-report.ts';
import { takeSample } from './take-sample.ts';
import { applyOrders } from './usage.ts';
import { startUsage } from './usage-state.ts';

const EPOCH = 'a'.repeat(32);
const MARK = `{"elem": {"val": ${0xffffffff}, "comment": "${EPOCH}", "counter": {"packets": 0, "bytes": 0}}}`;

/** A node with one config at its limit, and a control plane that raises its lease. */
function createToy() {
  const toy = { commands: [] as string[], isNftBroken: false, reports: [] as UsageReport[] };
  const shell = {
    run: async (_command: string, args: readonly string[]) => (args.at(-1) === 'up' ? MARK : ''),
  } as unknown as Shell;
  const apply = async (commands: readonly string[]) => {
    if (toy.isNftBroken) throw new CommandFailed('nft', 'Error: Could not process rule', undefined);
    toy.commands.push(...commands);
  };
  const options = { table: 't', interfaceNames: ['i'], uplinks: ['u'], markOf: (slot: number) => slot };
  const services = { address4: '10.64.0.1', address6: 'fd72::1', hasResolver: true };
  const lease = { epoch: EPOCH, version: 1, limitBytes: 1_000 };
  const reportUsage = async (report: UsageReport) => {
    toy.reports.push(report);
    const raised = { epoch: EPOCH, version: 2, limitBytes: 900_000 };
    return { ackSeq: report.seq, epoch: 'continue', leases: [{ config: 'one', lease: raised, refillDenied: false }] };
  };
  const usage = applyOrders(startUsage(EPOCH, 'boot'), [{ id: 'one', slot: 2, blocked: false, lease }]);
  const context = {
    firewall: new Firewall(
      shell,
      { apply, close: () => {} },
      { ...options, services, newFlows: { allowsSmtp: false } },
    ),
    spool: { writeUsage: async () => {} },
    client: { reportUsage, clockOffsetMs: () => undefined },
    health: { readLoad: async () => 0, readDisk: async () => undefined },
    roundTrips: { refresh: () => {}, watch: () => {} },
    reach: { take: () => ({ reach: [], relayReach: [] }) },
    relayProbe: { take: () => [] },
    upgrader: { refusal: undefined },
    tunnels: [],
    applied: createAppliedState({} as NodeSettings, null),
    metering: { ...createMeteringState(usage, 0), tableEpoch: EPOCH },
    tunnelState: createTunnelState(),
    ...{ bootId: 'boot', agentVersion: '1', elapsedMs: () => 0 },
  } as unknown as AgentContext;
  return { context, toy };
}

test('a lease that nft refused is in the kernel with the next sample', async () => {
  const { context, toy } = createToy();
  toy.isNftBroken = true;
  await expect(sendReport(context)).rejects.toThrow(CommandFailed);
  toy.isNftBroken = false;
  await takeSample(context);
  expect(toy.commands).toContain('add quota inet t slot2 { over 900000 bytes }');
  expect(toy.reports.length).toBe(1);
});

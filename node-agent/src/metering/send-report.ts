import { limits } from '@raha/contract/limits.ts';
import type { ProxyState } from '@raha/contract/node/openvpn-settings.ts';
import type { AgentContext } from '../agent-context.ts';
import { type Protocol, protocolOf } from '../tunnels/tunnel.ts';
import { readTunnelStatus } from '../tunnels/tunnel-status.ts';
import type { MeteringState } from './metering-state.ts';
import { earlySampleBytes, exceededLimits, slotLimit } from './slot-limits.ts';
import { acknowledge, hasUnreported, type NodeStatus, nextReport } from './usage-report.ts';

export interface Sent {
  /**
   * `done`: everything is reported. `more`: another lost epoch waits, or more configs than fit into a report. `refused`:
   * the control plane refuses this epoch, and `abandonEpoch` must follow.
   */
  readonly kind: 'done' | 'more' | 'refused';
  /** A config that had reached its limit may continue. */
  readonly reopened: boolean;
}

/** Makes a report durable, sends it, and applies the reply: new leases are in the kernel when this returns. */
export async function sendReport(context: AgentContext, timeoutMs?: number): Promise<Sent> {
  const { metering, spool, client, firewall } = context;
  const isOutstanding = metering.usage.closing.length > 0 || metering.usage.pending !== null;
  const status = isOutstanding ? emptyStatus(context) : await readNodeStatus(context);
  const { state, report } = nextReport(metering.usage, status);
  metering.usage = state;
  await spool.writeUsage(state);
  const reply = await client.reportUsage(report, timeoutMs);
  context.roundTrips.watch(reply.watched ?? []);
  const before = metering.usage;
  const answer = acknowledge(before, report, reply);
  metering.usage = answer.state;
  if (answer.mustMintEpoch) return { kind: 'refused', reopened: false };
  const leased = answer.leased.flatMap((id) => {
    const config = metering.usage.configs.get(id);
    return config ? [{ config, before: before.configs.get(id) }] : [];
  });
  const raised = leased.map((entry) => slotLimit(before, entry.config, entry.before));
  await firewall.setLimits([...raised, ...exceededLimits(metering.usage)]);
  metering.earlySampleBytes = Math.min(metering.earlySampleBytes, earlySampleBytes(leased.map(({ config }) => config)));
  const wasFull = report.samples.length === limits.node.maxSamplesPerReport;
  const hasMore = metering.usage.closing.length > 0 || (wasFull && hasUnreported(metering.usage));
  const reopened = raised.some((limit) => limit.wasExhausted);
  return { kind: hasMore || isOutstanding ? 'more' : 'done', reopened };
}

/** A report from the spool is sent as it is and needs no status. */
function emptyStatus({ tunnelState, agentVersion }: AgentContext): NodeStatus {
  const nothing = { tunnels: [], blockedQueries: [], load: 0, ageMs: 0, blockedNames: 0, wireguardPorts: [] };
  return { ...nothing, protocols: servedProtocols(tunnelState), agentVersion };
}

function servedProtocols({ up }: AgentContext['tunnelState']): Protocol[] {
  return [...up].filter((name): name is Protocol => name === protocolOf(name));
}

async function readNodeStatus(context: AgentContext): Promise<NodeStatus> {
  const { metering, health, client, tunnelState, agentVersion } = context;
  return {
    tunnels: await readTunnelStatus(context),
    load: await health.readLoad(),
    protocols: servedProtocols(tunnelState),
    agentVersion,
    clockOffsetMs: client.clockOffsetMs(),
    disk: await health.readDisk(),
    blockedQueries: takeBlockedQueries(metering),
    ...context.reach.take(),
    relays: context.relayProbe.take(),
    blockedNames: context.resolver?.blockedNames() ?? 0,
    wireguardBackend: context.tunnels.find(({ backend }) => backend)?.backend,
    wireguardPorts: context.firewall.wireguardPorts,
    openvpnTcp: tunnelState.up.has('openvpn_tcp'),
    openconnect: tunnelState.up.has('openconnect'),
    proxy: readProxyState(context),
    releaseRefusal: context.upgrader.refusal,
    ageMs: Math.max(0, Math.round(context.elapsedMs() - metering.lastReadingMs)),
  };
}

/** Undefined where it is not wanted. */
function readProxyState({ applied, tunnels, tunnelState }: AgentContext): ProxyState | undefined {
  if (applied.settings.openvpn?.proxy === undefined) return undefined;
  if (!tunnels.some(({ name }) => name === 'proxy')) return 'no_engine';
  return tunnelState.up.has('proxy') ? 'served' : 'failed';
}

/** Counts are taken once: the report that contains them is durable and sent until acknowledged. The rest waits. */
function takeBlockedQueries({ blockedQueries }: MeteringState): { config: string; count: number }[] {
  const taken = [...blockedQueries].slice(0, limits.node.maxSamplesPerReport);
  for (const [config] of taken) blockedQueries.delete(config);
  return taken.map(([config, count]) => ({ config, count }));
}

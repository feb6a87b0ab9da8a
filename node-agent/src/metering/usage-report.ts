import { limits } from '@raha/contract/limits.ts';
import type { ProxyState } from '@raha/contract/node/openvpn-settings.ts';
import type {
  ReachCount,
  RelayHealth,
  RelayReachCount,
  Sample,
  TunnelStatus,
  UsageReply,
  UsageReport,
  WireguardBackendName,
} from '@raha/contract/node/protocol.ts';
import type { ReleaseRefusal } from '@raha/contract/node/release.ts';
import type { Protocol } from '@raha/contract/protocols.ts';
import { holdLease, leftBytes } from './usage.ts';
import type { ConfigUsage, UsageState } from './usage-state.ts';

/** What a report contains beside the meters. */
export interface NodeStatus {
  /** No more than a report has room for; `readTunnelStatus` chooses them. */
  readonly tunnels: readonly TunnelStatus[];
  readonly load: number;
  /** Protocols served at this moment. */
  readonly protocols: readonly Protocol[];
  readonly agentVersion: string;
  /** How far the control plane's clock is ahead; undefined before its first answer. */
  readonly clockOffsetMs?: number | undefined;
  readonly disk?: { readonly freeBytes: number; readonly totalBytes: number };
  readonly blockedQueries: NonNullable<UsageReport['blockedQueries']>;
  readonly reach?: readonly ReachCount[];
  readonly relayReach?: readonly RelayReachCount[];
  /** What trying the node's relays has shown. */
  readonly relays?: readonly RelayHealth[];
  readonly blockedNames: number;
  readonly wireguardBackend?: WireguardBackendName | undefined;
  /** Ports at which WireGuard is accepted beside its own. */
  readonly wireguardPorts: readonly number[];
  readonly openvpnTcp?: boolean;
  readonly openconnect?: boolean;
  readonly proxy?: ProxyState | undefined;
  /** Why the release that was offered last is not installed. */
  readonly releaseRefusal?: ReleaseRefusal | undefined;
  /** Milliseconds since the reading that the totals come from. */
  readonly ageMs: number;
}

/**
 * The report to send now, and the state that contains it, which must be durable before the report is sent. One report is
 * outstanding at a time, and it is returned unchanged until it is acknowledged. Reports of lost epochs come first.
 */
export function nextReport(state: UsageState, status: NodeStatus): { state: UsageState; report: UsageReport } {
  const outstanding = state.closing[0] ?? state.pending;
  if (outstanding) return { state, report: outstanding };
  const report: UsageReport = {
    epoch: state.epoch,
    seq: state.seq + 1,
    ageMs: status.ageMs,
    samples: chooseSamples(state),
    tunnels: [...status.tunnels],
    ...(status.blockedQueries.length > 0 ? { blockedQueries: [...status.blockedQueries] } : {}),
    ...(status.reach && status.reach.length > 0 ? { reach: [...status.reach] } : {}),
    ...(status.relayReach && status.relayReach.length > 0 ? { relayReach: [...status.relayReach] } : {}),
    ...(status.relays && status.relays.length > 0 ? { relays: [...status.relays] } : {}),
    health: {
      load: status.load,
      tunnelsUp: status.protocols.length > 0,
      protocols: [...status.protocols],
      unmeteredUpperBoundBytes: state.unmeteredBytes,
      agentVersion: status.agentVersion,
      ...(status.clockOffsetMs === undefined ? {} : { clockOffsetMs: status.clockOffsetMs }),
      ...(status.disk ? { disk: status.disk } : {}),
      blockedNames: status.blockedNames,
      ...(status.wireguardBackend ? { wireguardBackend: status.wireguardBackend } : {}),
      wireguardPorts: [...status.wireguardPorts],
      ...(status.openvpnTcp === undefined ? {} : { openvpnTcp: status.openvpnTcp }),
      ...(status.openconnect === undefined ? {} : { openconnect: status.openconnect }),
      ...(status.proxy === undefined ? {} : { proxy: status.proxy }),
      ...(status.releaseRefusal ? { releaseRefusal: status.releaseRefusal } : {}),
    },
  };
  return { state: { ...state, seq: report.seq, pending: report, unmeteredBytes: 0 }, report };
}

export interface Acknowledgement {
  readonly state: UsageState;
  /** The control plane has another report with this number: `mintEpoch` with `old: 'abandon'` must follow. */
  readonly mustMintEpoch: boolean;
  /** Configs whose lease changed. */
  readonly leased: readonly string[];
}

/** Takes in the reply to a report. A reply to anything but the outstanding report changes no total. */
export function acknowledge(state: UsageState, report: UsageReport, reply: UsageReply): Acknowledgement {
  const mustMintEpoch = reply.epoch === 'mint-epoch' && report.epoch === state.epoch;
  const dequeued = dequeue(state, report, reply);
  if (mustMintEpoch || reply.leases.length === 0) return { state: dequeued, mustMintEpoch, leased: [] };
  const configs = new Map(dequeued.configs);
  const leased: string[] = [];
  for (const entry of reply.leases) {
    const config = configs.get(entry.config);
    if (config?.presence !== 'active' || entry.lease.epoch !== state.epoch) continue;
    const held = holdLease(config, entry.lease, state.epoch);
    if (held.lease !== config.lease) leased.push(entry.config);
    const isCurrent = held.lease?.version === entry.lease.version;
    configs.set(entry.config, isCurrent ? { ...held, refillDenied: entry.refillDenied } : held);
  }
  return { state: { ...dequeued, configs }, mustMintEpoch, leased };
}

/** Whether to report before the period is over: a lease is running out, or a final reading waits. */
export function isReportUrgent(state: UsageState): boolean {
  if (state.pending || state.closing.length > 0) return false;
  for (const config of state.configs.values()) {
    if (config.presence === 'removed' || isRunningOut(config) || (isAwaitingLease(config) && hasMoved(config)))
      return true;
  }
  return false;
}

/** Whether there is more to report than the last report contained. */
export function hasUnreported(state: UsageState): boolean {
  for (const config of state.configs.values()) if (isUnreported(config)) return true;
  return false;
}

/** Whether there is something that the control plane has not acknowledged yet. */
export function isUnreported(config: ConfigUsage): boolean {
  const hasNewLease = (config.lease?.version ?? 0) !== config.acknowledged.leaseVersion;
  return hasMoved(config) || hasNewLease || config.presence === 'removed';
}

/**
 * As if nothing had been acknowledged: the control plane has forgotten what it knew, because a backup was restored. Totals and leases
 * are reported again, and nothing counts twice.
 */
export function reportAgain(state: UsageState): UsageState {
  const configs = new Map(state.configs);
  for (const [id, config] of configs) configs.set(id, { ...config, acknowledged: { up: 0, down: 0, leaseVersion: 0 } });
  return { ...state, configs };
}

export function toSample([id, config]: readonly [string, ConfigUsage]): Sample {
  const sample = { config: id, up: config.up, down: config.down, leaseVersion: config.lease?.version ?? 0 };
  return config.presence === 'removed' ? { ...sample, final: true } : sample;
}

/** The lease is used up and a refill is due. Such a config is in every report until it is answered. */
export function isAwaitingLease(config: ConfigUsage): boolean {
  if (config.blocked || config.refillDenied || config.presence !== 'active' || !config.lease) return false;
  return leftBytes(config) < limits.lease.exhaustedBelowBytes;
}

/** More than half of what was left at the last acknowledged reading is used up. */
function isRunningOut(config: ConfigUsage): boolean {
  if (config.blocked || config.refillDenied || config.presence !== 'active' || !config.lease) return false;
  const acknowledged = config.acknowledged.up + config.acknowledged.down;
  if (config.up + config.down === acknowledged) return false;
  return leftBytes(config) * 2 < config.lease.limitBytes - acknowledged;
}

function hasMoved({ up, down, acknowledged }: ConfigUsage): boolean {
  return up !== acknowledged.up || down !== acknowledged.down;
}

/** Configs that wait for an answer come first, then new totals, then configs that ask for a lease again, in rotation. */
function chooseSamples(state: UsageState): Sample[] {
  const urgent: Sample[] = [];
  const changed: Sample[] = [];
  const again: Sample[] = [];
  for (const entry of state.configs) {
    const [, config] = entry;
    if (isUnreported(config)) {
      const isUrgent = config.presence === 'removed' || isAwaitingLease(config) || isRunningOut(config);
      (isUrgent ? urgent : changed).push(toSample(entry));
    } else if (isAwaitingLease(config)) again.push(toSample(entry));
  }
  const start = again.length === 0 ? 0 : (state.seq * limits.node.maxSamplesPerReport) % again.length;
  return [...urgent, ...changed, ...again.slice(start), ...again.slice(0, start)].slice(
    0,
    limits.node.maxSamplesPerReport,
  );
}

function dequeue(state: UsageState, report: UsageReport, reply: UsageReply): UsageState {
  if (reply.ackSeq < report.seq) return state;
  const isAnswered = (other: UsageReport) => other.epoch === report.epoch && other.seq === report.seq;
  if (state.closing[0] && isAnswered(state.closing[0])) {
    const rest = state.closing.slice(1);
    const isRefused = reply.epoch === 'mint-epoch';
    return { ...state, closing: isRefused ? rest.filter((other) => other.epoch !== report.epoch) : rest };
  }
  if (!state.pending || !isAnswered(state.pending)) return state;
  return { ...state, pending: null, configs: takeAcknowledged(state, report) };
}

function takeAcknowledged(state: UsageState, report: UsageReport): UsageState['configs'] {
  if (report.samples.length === 0) return state.configs;
  const configs = new Map(state.configs);
  for (const { config: id, up, down, leaseVersion, final } of report.samples) {
    const config = configs.get(id);
    if (!config) continue;
    if (final && config.presence === 'removed') configs.delete(id);
    else configs.set(id, { ...config, acknowledged: { up, down, leaseVersion } });
  }
  return configs;
}

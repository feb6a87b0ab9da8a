import { limits, type Protocol } from '@raha/contract/limits.ts';
import type { Sample, TunnelStatus, UsageReply, UsageReport } from '@raha/contract/node/protocol.ts';
import { holdLease, leftBytes, REACH_BYTES } from './usage.ts';
import type { ConfigUsage, UsageState } from './usage-state.ts';

/** What a report says beside the meters. */
export interface Vitals {
  /** No more than a report has room for: `takeSigns` chooses. */
  readonly tunnels: readonly TunnelStatus[];
  readonly load: number;
  /** What is served at this moment. */
  readonly protocols: readonly Protocol[];
  readonly agentVersion: string;
  /** How far the control plane's clock is ahead; undefined before its first answer. */
  readonly clockOffsetMs?: number | undefined;
  readonly disk?: { readonly freeBytes: number; readonly totalBytes: number };
  readonly blockedQueries: NonNullable<UsageReport['blockedQueries']>;
  readonly blockedNames: number;
  /** Milliseconds since the reading that the totals come from. */
  readonly ageMs: number;
}

/**
 * The report to send now, and the state that holds it, which must be durable before the report leaves. One report is
 * outstanding at a time, and it is given again unchanged until it is acknowledged. Lost epochs speak first.
 */
export function nextReport(state: UsageState, vitals: Vitals): { state: UsageState; report: UsageReport } {
  const outstanding = state.closing[0] ?? state.pending;
  if (outstanding) return { state, report: outstanding };
  const report: UsageReport = {
    epoch: state.epoch,
    seq: state.seq + 1,
    ageMs: vitals.ageMs,
    samples: chooseSamples(state),
    tunnels: [...vitals.tunnels],
    ...(vitals.blockedQueries.length > 0 ? { blockedQueries: [...vitals.blockedQueries] } : {}),
    health: {
      load: vitals.load,
      tunnelsUp: vitals.protocols.length > 0,
      protocols: [...vitals.protocols],
      unmeteredUpperBoundBytes: state.unmeteredBytes,
      agentVersion: vitals.agentVersion,
      ...(vitals.clockOffsetMs === undefined ? {} : { clockOffsetMs: vitals.clockOffsetMs }),
      ...(vitals.disk ? { disk: vitals.disk } : {}),
      blockedNames: vitals.blockedNames,
    },
  };
  return { state: { ...state, seq: report.seq, pending: report, unmeteredBytes: 0 }, report };
}

export interface Acknowledgement {
  readonly state: UsageState;
  /** The control plane has another report under this number: `mintEpoch` with `old: 'abandon'` comes next. */
  readonly mustMintEpoch: boolean;
  /** Configs whose lease changed. */
  readonly leased: readonly string[];
}

/** Takes the answer to a report in. An answer to anything but the outstanding report changes no total. */
export function acknowledge(state: UsageState, report: UsageReport, reply: UsageReply): Acknowledgement {
  const mustMintEpoch = reply.epoch === 'mint-epoch' && report.epoch === state.epoch;
  const dequeued = dequeue(state, report, reply);
  if (mustMintEpoch || reply.leases.length === 0) return { state: dequeued, mustMintEpoch, leased: [] };
  const configs = new Map(dequeued.configs);
  const leased: string[] = [];
  for (const entry of reply.leases) {
    const config = configs.get(entry.config);
    if (config?.presence !== 'here' || entry.lease.epoch !== state.epoch) continue;
    const held = holdLease(config, entry.lease, state.epoch);
    if (held.lease !== config.lease) leased.push(entry.config);
    const isCurrent = held.lease?.version === entry.lease.version;
    configs.set(entry.config, isCurrent ? { ...held, quiet: entry.refillDenied } : held);
  }
  return { state: { ...dequeued, configs }, mustMintEpoch, leased };
}

/** Whether to report before the period is over: a lease is running out, or a last reading waits. */
export function isReportUrgent(state: UsageState): boolean {
  if (state.pending || state.closing.length > 0) return false;
  for (const config of state.configs.values()) {
    if (config.presence === 'left' || isRunningOut(config) || (isHungry(config) && hasMoved(config))) return true;
  }
  return false;
}

/** More to report than the last report held. */
export function hasUnreported(state: UsageState): boolean {
  for (const config of state.configs.values()) if (isUnreported(config)) return true;
  return false;
}

/** Something the control plane has not acknowledged yet. */
export function isUnreported(config: ConfigUsage): boolean {
  const hasNewLease = (config.lease?.version ?? 0) !== config.acknowledged.leaseVersion;
  return hasMoved(config) || hasNewLease || config.presence === 'left';
}

export function toSample([id, config]: readonly [string, ConfigUsage]): Sample {
  const sample = { config: id, up: config.up, down: config.down, leaseVersion: config.lease?.version ?? 0 };
  return config.presence === 'left' ? { ...sample, final: true } : sample;
}

/** At its limit and in want of more. It speaks in every report until it is answered. */
export function isHungry(config: ConfigUsage): boolean {
  if (config.blocked || config.quiet || config.presence !== 'here' || !config.lease) return false;
  return leftBytes(config) < REACH_BYTES;
}

/** More than half of what was left at the last acknowledged reading is used up. */
function isRunningOut(config: ConfigUsage): boolean {
  if (config.blocked || config.quiet || config.presence !== 'here' || !config.lease) return false;
  const acknowledged = config.acknowledged.up + config.acknowledged.down;
  if (config.up + config.down === acknowledged) return false;
  return leftBytes(config) * 2 < config.lease.limitBytes - acknowledged;
}

function hasMoved({ up, down, acknowledged }: ConfigUsage): boolean {
  return up !== acknowledged.up || down !== acknowledged.down;
}

/** Those that wait for an answer first, then news, then the hungry ones that have said so before, by turns. */
function chooseSamples(state: UsageState): Sample[] {
  const urgent: Sample[] = [];
  const news: Sample[] = [];
  const again: Sample[] = [];
  for (const entry of state.configs) {
    const [, config] = entry;
    if (isUnreported(config)) {
      const isUrgent = config.presence === 'left' || isHungry(config) || isRunningOut(config);
      (isUrgent ? urgent : news).push(toSample(entry));
    } else if (isHungry(config)) again.push(toSample(entry));
  }
  const turn = again.length === 0 ? 0 : (state.seq * limits.node.maxSamplesPerReport) % again.length;
  return [...urgent, ...news, ...again.slice(turn), ...again.slice(0, turn)].slice(0, limits.node.maxSamplesPerReport);
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
    if (final && config.presence === 'left') configs.delete(id);
    else configs.set(id, { ...config, acknowledged: { up, down, leaseVersion } });
  }
  return configs;
}

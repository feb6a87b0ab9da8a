import { limits } from '@raha/contract/limits.ts';
import type { Sample, UsageReport } from '@raha/contract/node/protocol.ts';
import { leftBytes } from './usage.ts';
import { isUnreported, toSample } from './usage-report.ts';
import type { ConfigUsage, Counters, UsageState } from './usage-state.ts';

export interface NewEpoch {
  /** 128 random bits in hex. */
  readonly epoch: string;
  readonly bootId: string;
  /** Null: the table was rebuilt and counts from zero. Otherwise the present counters, from which totals start. */
  readonly counters: ReadonlyMap<number, Counters> | null;
  /**
   * `close`: the last totals of the old epoch are still to be billed. `abandon`: the control plane refused the old epoch
   * (`mint-epoch`); its unacknowledged bytes are not billed.
   */
  readonly old: 'close' | 'abandon';
  readonly agentVersion: string;
}

/**
 * Starts a new epoch. Totals start at zero, and each lease is carried over as what was left of it: the node goes on
 * serving without the control plane, and no reserved byte is used twice.
 */
export function mintEpoch(state: UsageState, fresh: NewEpoch): UsageState {
  const configs = new Map<string, ConfigUsage>();
  for (const [id, config] of state.configs) configs.set(id, carryOver(config, fresh.counters));
  return {
    epoch: fresh.epoch,
    bootId: fresh.bootId,
    seq: 0,
    configs,
    freed: fresh.counters ? state.freed : new Map(),
    pending: null,
    closing:
      fresh.old === 'close'
        ? [...state.closing, ...(state.pending ? [state.pending] : []), ...closeEpoch(state, fresh.agentVersion)]
        : state.closing,
    unmeteredBytes: fresh.old === 'close' ? 0 : sum(state, unacknowledgedBytes),
  };
}

function carryOver(config: ConfigUsage, counters: ReadonlyMap<number, Counters> | null): ConfigUsage {
  const { up, down } = counters ? (counters.get(config.slot) ?? config.base) : { up: 0n, down: 0n };
  return {
    ...config,
    base: { up, down },
    up: 0,
    down: 0,
    acknowledged: { up: 0, down: 0, leaseVersion: 0 },
    lease: config.lease && { ...config.lease, version: 0, limitBytes: leftBytes(config) },
  };
}

/** Never empty, because the end of an epoch must be reported. Only the last report is marked as closing. */
function closeEpoch(state: UsageState, agentVersion: string): UsageReport[] {
  const samples = [...state.configs].filter(([, config]) => isUnreported(config)).map(toSample);
  const parts: Sample[][] = [];
  for (let start = 0; start < samples.length; start += limits.node.maxSamplesPerReport) {
    parts.push(samples.slice(start, start + limits.node.maxSamplesPerReport));
  }
  if (parts.length === 0) parts.push([]);
  const unmeteredUpperBoundBytes = Math.min(Number.MAX_SAFE_INTEGER, state.unmeteredBytes + sum(state, openBytes));
  return parts.map((part, index) => ({
    epoch: state.epoch,
    seq: state.seq + 1 + index,
    ...(index === parts.length - 1 ? { closing: true } : {}),
    ageMs: 0,
    samples: part,
    tunnels: [],
    health: {
      load: 0,
      tunnelsUp: true,
      unmeteredUpperBoundBytes: index === parts.length - 1 ? unmeteredUpperBoundBytes : 0,
      agentVersion,
    },
  }));
}

/** The kernel passed no more than the lease, so what is left of it bounds what the last reading missed. */
function openBytes(config: ConfigUsage): number {
  return config.blocked || config.presence !== 'active' ? 0 : leftBytes(config);
}

function unacknowledgedBytes(config: ConfigUsage): number {
  return config.up + config.down - config.acknowledged.up - config.acknowledged.down;
}

function sum(state: UsageState, bytesOf: (config: ConfigUsage) => number): number {
  let total = 0;
  for (const config of state.configs.values()) total += bytesOf(config);
  return Math.min(Number.MAX_SAFE_INTEGER, total);
}

import type { UsageReport } from '@raha/contract/node/protocol.ts';
import { NODE_PROTOCOL_VERSION } from '@raha/contract/node/versions.ts';

/** What the kernel counted for one slot since the firewall's table was made. The kernel's counters have 64 bits. */
export interface Counters {
  readonly up: bigint;
  readonly down: bigint;
}

/** One reading of the kernel's counters. */
export interface Reading {
  /** The epoch that the table itself is marked with; null when there is no table. */
  readonly epoch: string | null;
  /** Changes with every boot of the machine. */
  readonly bootId: string;
  readonly counters: ReadonlyMap<number, Counters>;
}

/** A lease in force. Version 0: carried over from a lost epoch, until the control plane issues one for this epoch. */
export interface HeldLease {
  readonly version: number;
  readonly limitBytes: number;
  /** The greatest speed in each direction; undefined: no limit. */
  readonly maxMbit?: number | undefined;
}

export interface Totals {
  readonly up: number;
  readonly down: number;
  readonly leaseVersion: number;
}

export interface ConfigUsage {
  readonly slot: number;
  /** The kernel's counters when this config started counting in this epoch. */
  readonly base: Counters;
  /** Bytes that have passed since the epoch began, at the last reading. */
  readonly up: number;
  readonly down: number;
  readonly lease: HeldLease | null;
  readonly blocked: boolean;
  readonly dnsFiltering?: boolean | undefined;
  /** Totals of this epoch that the control plane has acknowledged. */
  readonly acknowledged: Totals;
  /** The control plane denied more: do not ask again until a new lease arrives. */
  readonly refillDenied: boolean;
  /** `removing`: blocked, its final reading is due; `removed`: its final reading waits for the acknowledgement. */
  readonly presence: 'active' | 'removing' | 'removed';
}

/** Everything that must survive a crash so that no byte is lost or billed twice. Immutable. */
export interface UsageState {
  readonly epoch: string;
  readonly bootId: string;
  /** Sequence number of the last report of this epoch. */
  readonly seq: number;
  readonly configs: ReadonlyMap<string, ConfigUsage>;
  /** Final counters of slots that served an earlier config; unused slots are at zero. */
  readonly freed: ReadonlyMap<number, Counters>;
  /** The report that is not acknowledged yet: it is sent again, unchanged, before another one is made. */
  readonly pending: UsageReport | null;
  /** Closing reports of lost epochs, oldest first. They are sent before reports of the current epoch. */
  readonly closing: readonly UsageReport[];
  /** Upper bound of the unmetered bytes of a lost epoch, for the next report. */
  readonly unmeteredBytes: number;
}

/** The state of a node that has counted nothing yet. */
export function startUsage(epoch: string, bootId: string): UsageState {
  return {
    epoch,
    bootId,
    seq: 0,
    configs: new Map(),
    freed: new Map(),
    pending: null,
    closing: [],
    unmeteredBytes: 0,
  };
}

export function encodeUsage(state: UsageState): string {
  return JSON.stringify({
    protocol: NODE_PROTOCOL_VERSION,
    ...state,
    configs: [...state.configs].map(([id, config]) => [id, encodeConfig(config)]),
    freed: [...state.freed].map(([slot, counters]) => [slot, encodeCounters(counters)]),
  });
}

/**
 * Throws when the text is not whole, or was written for another version of the protocol: it holds reports that are still
 * to be sent. The caller then starts a new epoch.
 */
export function decodeUsage(text: string): UsageState {
  const { protocol, ...stored } = JSON.parse(text) as StoredUsage;
  if (protocol !== NODE_PROTOCOL_VERSION) throw new Error('the usage was stored for another protocol version');
  return {
    ...stored,
    configs: new Map(stored.configs.map(([id, config]) => [id, decodeConfig(config)])),
    freed: new Map(stored.freed.map(([slot, counters]) => [slot, decodeCounters(counters)])),
  };
}

export type StoredCounters = readonly [up: string, down: string];
export type StoredConfig = Omit<ConfigUsage, 'base'> & { readonly base: StoredCounters };

type StoredUsage = Omit<UsageState, 'configs' | 'freed'> & {
  readonly protocol: number;
  readonly configs: readonly [string, StoredConfig][];
  readonly freed: readonly [number, StoredCounters][];
};

export function encodeConfig(config: ConfigUsage): StoredConfig {
  return { ...config, base: encodeCounters(config.base) };
}

export function decodeConfig(config: StoredConfig): ConfigUsage {
  return { ...config, base: decodeCounters(config.base) };
}

export function encodeCounters(counters: Counters): StoredCounters {
  return [String(counters.up), String(counters.down)];
}

export function decodeCounters([up, down]: StoredCounters): Counters {
  return { up: BigInt(up), down: BigInt(down) };
}

import type { UsageReport } from '@raha/contract/node/protocol.ts';
import { NODE_PROTOCOL_VERSION } from '@raha/contract/node/versions.ts';

/** What the kernel counted for one slot since the firewall's table was made. The kernel's counters have 64 bits. */
export interface Counters {
  readonly up: bigint;
  readonly down: bigint;
}

/** One look at the kernel. */
export interface Reading {
  /** The epoch that the table itself is marked with; null when there is no table. */
  readonly epoch: string | null;
  /** Changes with every boot of the machine. */
  readonly bootId: string;
  readonly counters: ReadonlyMap<number, Counters>;
}

/** A lease in force. Version 0: carried over from a lost epoch, until the control plane writes one for this epoch. */
export interface HeldLease {
  readonly version: number;
  readonly limitBytes: number;
}

export interface Totals {
  readonly up: number;
  readonly down: number;
  readonly leaseVersion: number;
}

export interface ConfigUsage {
  readonly slot: number;
  /** The kernel's counters when this config began to count in this epoch. */
  readonly base: Counters;
  /** Bytes that passed since the epoch began, at the last reading. */
  readonly up: number;
  readonly down: number;
  readonly lease: HeldLease | null;
  readonly blocked: boolean;
  /** The block list holds for its questions for names. */
  readonly dnsFiltering?: boolean | undefined;
  /** What the control plane has acknowledged of this epoch. */
  readonly acknowledged: Totals;
  /** The control plane said that no more is to be had: do not ask again until a new lease comes. */
  readonly quiet: boolean;
  /** `leaving`: blocked, its last reading still to come; `left`: read for the last time, to be acknowledged. */
  readonly presence: 'here' | 'leaving' | 'left';
}

/** Everything that must survive a crash for no byte to be lost or billed twice. Never changed in place. */
export interface UsageState {
  readonly epoch: string;
  readonly bootId: string;
  /** Number of the last report made in this epoch. */
  readonly seq: number;
  readonly configs: ReadonlyMap<string, ConfigUsage>;
  /** Where the counters of slots stopped that served a config before; slots never used stand at zero. */
  readonly freed: ReadonlyMap<number, Counters>;
  /** The report that was made and is not acknowledged: sent again, unchanged, before another one is made. */
  readonly pending: UsageReport | null;
  /** Last words of lost epochs, oldest first. They are sent before the current epoch speaks. */
  readonly closing: readonly UsageReport[];
  /** Upper bound of what a lost epoch may have passed unmetered, for the next report that is made. */
  readonly unmeteredBytes: number;
}

/** A node that has counted nothing yet. */
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
    configs: [...state.configs].map(([id, config]) => [id, { ...config, base: encodeCounters(config.base) }]),
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
    configs: new Map(stored.configs.map(([id, config]) => [id, { ...config, base: decodeCounters(config.base) }])),
    freed: new Map(stored.freed.map(([slot, counters]) => [slot, decodeCounters(counters)])),
  };
}

type StoredCounters = readonly [up: string, down: string];

type StoredUsage = Omit<UsageState, 'configs' | 'freed'> & {
  readonly protocol: number;
  readonly configs: readonly [string, Omit<ConfigUsage, 'base'> & { readonly base: StoredCounters }][];
  readonly freed: readonly [number, StoredCounters][];
};

function encodeCounters(counters: Counters): StoredCounters {
  return [String(counters.up), String(counters.down)];
}

function decodeCounters([up, down]: StoredCounters): Counters {
  return { up: BigInt(up), down: BigInt(down) };
}

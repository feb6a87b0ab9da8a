import type { Lease } from '@raha/contract/node/protocol.ts';
import type { SlotDoors } from '../firewall/slot-policies.ts';
import type { ConfigUsage, Counters, Reading, UsageState } from './usage-state.ts';

export type LostReason = 'rebooted' | 'table_gone' | 'table_of_another_epoch' | 'counter_missing' | 'counter_went_back';

export type Observation =
  | { readonly kind: 'observed'; readonly state: UsageState }
  /** Counting is no longer continuous: rebuild the table and mint an epoch. The state given stays the last word. */
  | { readonly kind: 'lost'; readonly reason: LostReason };

/** What the control plane wants of one config's meter. */
export interface MeterOrder {
  readonly id: string;
  readonly slot: number;
  readonly blocked: boolean;
  /** The block list holds for it. */
  readonly dnsFiltering?: boolean | undefined;
  readonly lease: Lease | null;
}

/**
 * Packets are counted and dropped as the kernel sees them, and segment offload joins up to 64 KiB into one. A lease with
 * less than this left has been reached: the next packet may not fit.
 */
export const REACH_BYTES = 65_536;

/** Slots begin with 1: the network's own address is nobody's. */
const NO_SLOT = 0;

/** Takes a reading in: totals move forward, or continuity is lost. */
export function observe(state: UsageState, reading: Reading): Observation {
  const reason = findBreak(state, reading);
  if (reason) return { kind: 'lost', reason };
  let configs: Map<string, ConfigUsage> | undefined;
  for (const [id, config] of state.configs) {
    if (config.presence === 'left') continue;
    const counters = reading.counters.get(config.slot);
    if (!counters) {
      if (config.up + config.down > 0) return { kind: 'lost', reason: 'counter_missing' };
      continue;
    }
    const next = advance(config, counters);
    if (!next) return { kind: 'lost', reason: 'counter_went_back' };
    if (next === config) continue;
    configs ??= new Map(state.configs);
    configs.set(id, next);
  }
  return { kind: 'observed', state: configs ? { ...state, configs } : state };
}

/** Whether the kernel still counts in the epoch of this state. */
export function findBreak(state: UsageState, reading: Pick<Reading, 'bootId' | 'epoch'>): LostReason | undefined {
  if (reading.bootId !== state.bootId) return 'rebooted';
  if (reading.epoch === null) return 'table_gone';
  return reading.epoch === state.epoch ? undefined : 'table_of_another_epoch';
}

/**
 * Takes the wanted configs in: new ones begin at zero where their slot's counters stand, known ones get their lease and
 * block, removed ones are blocked and wait for their last reading (`finishLeaving`). A lease of another epoch, or older
 * than the one in force, is ignored; null cuts off.
 */
export function applyOrders(
  state: UsageState,
  orders: readonly MeterOrder[],
  removed: readonly string[] = [],
): UsageState {
  return withConfigs(state, decideConfigs(state, orders, removed));
}

/** The configs that `applyOrders` changes, and nothing else: takes no longer with many configs than with few. */
export function decideConfigs(
  state: UsageState,
  orders: readonly MeterOrder[],
  removed: readonly string[] = [],
): Map<string, ConfigUsage> {
  const changed = new Map<string, ConfigUsage>();
  for (const order of orders) {
    const config = state.configs.get(order.id) ?? beginCounting(order.slot, state.freed.get(order.slot));
    const held = holdLease(config, order.lease, state.epoch);
    const wish = { blocked: order.blocked, dnsFiltering: order.dnsFiltering ?? false };
    changed.set(order.id, { ...held, ...wish, presence: 'here' });
  }
  for (const id of removed) {
    const config = changed.get(id) ?? state.configs.get(id);
    // One that never got here has its last reading all the same: the control plane waits for it to free the address.
    if (!config) changed.set(id, { ...beginCounting(NO_SLOT), presence: 'left' });
    else if (config.presence === 'here') changed.set(id, { ...config, presence: 'leaving' });
  }
  return changed;
}

export function withConfigs(state: UsageState, changed: ReadonlyMap<string, ConfigUsage>): UsageState {
  const configs = new Map(state.configs);
  for (const [id, config] of changed) configs.set(id, config);
  return { ...state, configs };
}

/**
 * Ends the counting of removed configs. `reading` must have been begun after the kernel blocked them. Their slots may
 * serve other configs from now on.
 */
export function finishLeaving(state: UsageState, reading: Reading, ids: readonly string[]): UsageState {
  if (ids.length === 0 || findBreak(state, reading)) return state;
  const configs = new Map(state.configs);
  const freed = new Map(state.freed);
  for (const id of ids) {
    const config = configs.get(id);
    if (config?.presence !== 'leaving') continue;
    const counters = reading.counters.get(config.slot) ?? stoppedAt(config);
    configs.set(id, { ...(advance(config, counters) ?? config), presence: 'left' });
    freed.set(config.slot, { up: counters.up, down: counters.down });
  }
  return { ...state, configs, freed };
}

/**
 * The absolute count of a slot's bytes, both directions, since the table was made, that the kernel may let pass. Zero:
 * nothing at all.
 */
export function passLimit(config: ConfigUsage): bigint {
  if (config.blocked || config.presence !== 'here' || !config.lease) return 0n;
  return config.base.up + config.base.down + BigInt(config.lease.limitBytes);
}

/**
 * At the end of its lease, and the control plane has said that no more is to be had. A lease that is only late cuts
 * nobody off: its packets are dropped until it comes, and programs do not notice.
 */
export function isCutOff(config: ConfigUsage): boolean {
  if (config.blocked || config.presence !== 'here' || !config.quiet) return false;
  return leftBytes(config) < REACH_BYTES;
}

/** What else the firewall has to know of a config's slot. */
export function doorsOf(config: ConfigUsage): SlotDoors {
  const isServed = config.presence === 'here' && !config.blocked;
  return { cut: isCutOff(config), barred: !isServed, screened: isServed && (config.dnsFiltering ?? false) };
}

/** Bytes of the lease that are left, by the last reading. */
export function leftBytes(config: ConfigUsage): number {
  return config.lease ? Math.max(0, config.lease.limitBytes - config.up - config.down) : 0;
}

/** The config as it is with this lease, or itself when the lease changes nothing. */
export function holdLease(config: ConfigUsage, lease: Lease | null, epoch: string): ConfigUsage {
  if (lease === null) return config.lease === null ? config : { ...config, lease: null };
  if (lease.epoch !== epoch) return config;
  const held = config.lease;
  if (held && lease.version < held.version) return config;
  if (held && lease.version === held.version && lease.limitBytes === held.limitBytes) return config;
  const isNewer = !held || lease.version > held.version;
  return {
    ...config,
    lease: { version: lease.version, limitBytes: lease.limitBytes },
    quiet: config.quiet && !isNewer,
  };
}

function beginCounting(slot: number, base: Counters = { up: 0n, down: 0n }): ConfigUsage {
  return {
    slot,
    base,
    up: 0,
    down: 0,
    lease: null,
    blocked: false,
    acknowledged: { up: 0, down: 0, leaseVersion: 0 },
    quiet: false,
    presence: 'here',
  };
}

/** Undefined when a counter went back. */
function advance(config: ConfigUsage, counters: Counters): ConfigUsage | undefined {
  const up = Number(counters.up - config.base.up);
  const down = Number(counters.down - config.base.down);
  if (up < config.up || down < config.down) return undefined;
  return up === config.up && down === config.down ? config : { ...config, up, down };
}

function stoppedAt(config: ConfigUsage): Counters {
  return { up: config.base.up + BigInt(config.up), down: config.base.down + BigInt(config.down) };
}

import { limits } from '@raha/contract/limits.ts';
import type { Lease } from '@raha/contract/node/protocol.ts';
import type { SlotPolicy } from '../firewall/slot-policies.ts';
import type { ConfigUsage, Counters, Reading, UsageState } from './usage-state.ts';

export type LostReason = 'rebooted' | 'table_gone' | 'table_of_another_epoch' | 'counter_missing' | 'counter_went_back';

export type Observation =
  | { readonly kind: 'observed'; readonly state: UsageState }
  /** Counting is no longer continuous: rebuild the table and start an epoch. The state stays the last one of its epoch. */
  | { readonly kind: 'lost'; readonly reason: LostReason };

/** What the control plane orders for one config's meter. */
export interface MeterOrder {
  readonly id: string;
  readonly slot: number;
  readonly blocked: boolean;
  readonly dnsFiltering?: boolean | undefined;
  readonly lease: Lease | null;
}

/** Slots start at 1: slot 0 is the network address. */
const NO_SLOT = 0;

/** Takes in a reading: totals move forward, or continuity is lost. */
export function observe(state: UsageState, reading: Reading): Observation {
  const reason = findBreak(state, reading);
  if (reason) return { kind: 'lost', reason };
  let configs: Map<string, ConfigUsage> | undefined;
  for (const [id, config] of state.configs) {
    if (config.presence === 'removed') continue;
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

/** Why the kernel no longer counts in the epoch of this state; undefined while it does. */
export function findBreak(state: UsageState, reading: Pick<Reading, 'bootId' | 'epoch'>): LostReason | undefined {
  if (reading.bootId !== state.bootId) return 'rebooted';
  if (reading.epoch === null) return 'table_gone';
  return reading.epoch === state.epoch ? undefined : 'table_of_another_epoch';
}

/**
 * Takes in orders: new configs start at zero from their slot's present counters, known ones get their lease and block,
 * removed ones are blocked and wait for their final reading (`finishRemovals`). A lease of another epoch, or older than
 * the one in force, is ignored; null closes the slot.
 */
export function applyOrders(
  state: UsageState,
  orders: readonly MeterOrder[],
  removed: readonly string[] = [],
): UsageState {
  return withConfigs(state, decideConfigs(state, orders, removed));
}

/** Only the configs that `applyOrders` changes, so that the cost does not grow with the number of configs. */
export function decideConfigs(
  state: UsageState,
  orders: readonly MeterOrder[],
  removed: readonly string[] = [],
): Map<string, ConfigUsage> {
  const changed = new Map<string, ConfigUsage>();
  for (const order of orders) {
    const config = state.configs.get(order.id) ?? startCounting(order.slot, state.freed.get(order.slot));
    const held = holdLease(config, order.lease, state.epoch);
    const flags = { blocked: order.blocked, dnsFiltering: order.dnsFiltering ?? false };
    changed.set(order.id, { ...held, ...flags, presence: 'active' });
  }
  for (const id of removed) {
    const config = changed.get(id) ?? state.configs.get(id);
    // The control plane frees an address after the final reading, so a config that was never here needs one, too.
    if (!config) changed.set(id, { ...startCounting(NO_SLOT), presence: 'removed' });
    else if (config.presence === 'active') changed.set(id, { ...config, presence: 'removing' });
  }
  return changed;
}

export function withConfigs(state: UsageState, changed: ReadonlyMap<string, ConfigUsage>): UsageState {
  const configs = new Map(state.configs);
  for (const [id, config] of changed) configs.set(id, config);
  return { ...state, configs };
}

/**
 * Ends the counting of removed configs. `reading` must have started after the kernel blocked them. From then on their
 * slots may serve other configs.
 */
export function finishRemovals(state: UsageState, reading: Reading, ids: readonly string[]): UsageState {
  if (ids.length === 0 || findBreak(state, reading)) return state;
  const configs = new Map(state.configs);
  const freed = new Map(state.freed);
  for (const id of ids) {
    const config = configs.get(id);
    if (config?.presence !== 'removing') continue;
    const counters = reading.counters.get(config.slot) ?? countersOf(config);
    configs.set(id, { ...(advance(config, counters) ?? config), presence: 'removed' });
    freed.set(config.slot, { up: counters.up, down: counters.down });
  }
  return { ...state, configs, freed };
}

/**
 * How many bytes of a slot, in both directions since the table was built, the kernel may let pass. Zero: none at all.
 */
export function passLimit(config: ConfigUsage): bigint {
  if (config.blocked || config.presence !== 'active' || !config.lease) return 0n;
  return config.base.up + config.base.down + BigInt(config.lease.limitBytes);
}

/**
 * The lease is used up and the control plane has denied a refill. A refill that is only late does not count: packets are
 * dropped until it arrives, and programs do not notice.
 */
export function isQuotaExceeded(config: ConfigUsage): boolean {
  if (config.blocked || config.presence !== 'active' || !config.refillDenied) return false;
  return leftBytes(config) < limits.lease.exhaustedBelowBytes;
}

/** How the firewall treats a config's slot apart from its quota. */
export function slotPolicyOf(config: ConfigUsage): SlotPolicy {
  const isServed = config.presence === 'active' && !config.blocked;
  const dnsFiltering = isServed && (config.dnsFiltering ?? false);
  const policy = { quotaExceeded: isQuotaExceeded(config), blocked: !isServed, dnsFiltering };
  return isServed && config.lease?.maxMbit !== undefined ? { ...policy, limitedSpeed: true } : policy;
}

/** Bytes left of the lease at the last reading. */
export function leftBytes(config: ConfigUsage): number {
  return config.lease ? Math.max(0, config.lease.limitBytes - config.up - config.down) : 0;
}

/** The config with this lease; the same object when the lease changes nothing. */
export function holdLease(config: ConfigUsage, lease: Lease | null, epoch: string): ConfigUsage {
  if (lease === null) return config.lease === null ? config : { ...config, lease: null };
  if (lease.epoch !== epoch) return config;
  const held = config.lease;
  if (held && lease.version < held.version) return config;
  const { version, limitBytes, maxMbit } = lease;
  if (held && version === held.version && limitBytes === held.limitBytes && maxMbit === held.maxMbit) return config;
  const isNewer = !held || version > held.version;
  return {
    ...config,
    lease: { version, limitBytes, ...(maxMbit === undefined ? {} : { maxMbit }) },
    refillDenied: config.refillDenied && !isNewer,
  };
}

function startCounting(slot: number, base: Counters = { up: 0n, down: 0n }): ConfigUsage {
  return {
    slot,
    base,
    up: 0,
    down: 0,
    lease: null,
    blocked: false,
    acknowledged: { up: 0, down: 0, leaseVersion: 0 },
    refillDenied: false,
    presence: 'active',
  };
}

/** Undefined when a counter went backwards. */
function advance(config: ConfigUsage, counters: Counters): ConfigUsage | undefined {
  const up = Number(counters.up - config.base.up);
  const down = Number(counters.down - config.base.down);
  if (up < config.up || down < config.down) return undefined;
  return up === config.up && down === config.down ? config : { ...config, up, down };
}

function countersOf(config: ConfigUsage): Counters {
  return { up: config.base.up + BigInt(config.up), down: config.base.down + BigInt(config.down) };
}

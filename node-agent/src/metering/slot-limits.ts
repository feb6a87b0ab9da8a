import { limits } from '@raha/contract/limits.ts';
import type { PeerIdentity } from '../control/plan.ts';
import type { SlotLimit } from '../firewall/firewall.ts';
import type { SpeedLimit } from '../tunnels/speed-queues.ts';
import { isQuotaExceeded, leftBytes, passLimit, slotPolicyOf } from './usage.ts';
import type { ConfigUsage, UsageState } from './usage-state.ts';

/** How the kernel must treat a config now, compared with how it was treated before. */
export function slotLimit(usage: UsageState, config: ConfigUsage, before: ConfigUsage | undefined): SlotLimit {
  const wasExhausted = before
    ? passLimit(before) === 0n || leftBytes(before) < limits.lease.exhaustedBelowBytes
    : // The slot's last config may have had packets dropped.
      usage.freed.has(config.slot);
  return { ...limitOf(config), wasExhausted };
}

/** Of the configs whose quota is exceeded by the last reading. */
export function exceededLimits(usage: UsageState): SlotLimit[] {
  return [...usage.configs.values()].filter(isQuotaExceeded).map(limitOf);
}

export function allLimits(usage: UsageState): SlotLimit[] {
  return [...usage.configs.values()].filter(({ presence }) => presence !== 'removed').map(limitOf);
}

/** The greatest speeds of configs that have one. */
export function speedLimits(usage: UsageState, peers: ReadonlyMap<string, PeerIdentity>): SpeedLimit[] {
  return [...usage.configs].flatMap(([id, config]) => {
    const protocol = peers.get(id)?.protocol;
    const mbit = config.lease?.maxMbit;
    const isLimited = slotPolicyOf(config).limitedSpeed && mbit !== undefined;
    return isLimited && protocol ? [{ slot: config.slot, mbit, protocol }] : [];
  });
}

/** After this many bytes through the tunnels some config may have used up half of what it has left. */
export function earlySampleBytes(configs: Iterable<ConfigUsage>): number {
  let bytes = Number.POSITIVE_INFINITY;
  for (const config of configs) {
    if (config.blocked || config.refillDenied || config.presence !== 'active' || !config.lease) continue;
    const left = leftBytes(config);
    if (left >= limits.lease.exhaustedBelowBytes) bytes = Math.min(bytes, left / 2);
  }
  return bytes;
}

function limitOf(config: ConfigUsage): SlotLimit {
  return { slot: config.slot, passLimit: passLimit(config), ...slotPolicyOf(config) };
}

import { limits } from '@raha/contract/limits.ts';
import type { SlotLimit } from '../firewall/firewall.ts';
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

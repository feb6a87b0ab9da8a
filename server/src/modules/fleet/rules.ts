import { limits } from '@raha/contract/limits.ts';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';

/**
 * Inner addresses. Every node has the same private networks: 10.64.0.0/16 (RFC 1918) and fd72:6168:6100::/64 (RFC 4193);
 * a config's slot on its node is the host part of both. Slot 0 is the network, slot 1 the node itself.
 */
const MTU = 1420;
export const FIRST_SLOT = 2;

export function address4Of(slot: number): string {
  if (!Number.isInteger(slot) || slot < FIRST_SLOT || slot > 65_534) throw new RangeError(`slot ${slot}`);
  return `10.64.${slot >> 8}.${slot & 255}`;
}

export function address6Of(slot: number): string {
  if (!Number.isInteger(slot) || slot < FIRST_SLOT || slot > 65_534) throw new RangeError(`slot ${slot}`);
  return `fd72:6168:6100::${slot.toString(16)}`;
}

export const RESOLVERS = ['1.1.1.1', '2606:4700:4700::1111'] as const;

export function nodeSettingsOf(node: { readonly wireguard_port: number }): NodeSettings {
  return {
    wireguard: {
      listenPort: node.wireguard_port,
      address4: '10.64.0.1/16',
      address6: 'fd72:6168:6100::1/64',
      mtu: MTU,
    },
    samplePeriodMs: limits.node.samplePeriodMs,
    reportPeriodMs: limits.node.reportPeriodMs,
  };
}

/** A node is online while it speaks, its tunnels are up and the operator has it on. */
export function isOnline(
  node: { readonly status: string; readonly seen_at: Date | null; readonly tunnels_up: boolean | null },
  now: Date,
): boolean {
  if (node.status !== 'active' || !node.seen_at || !node.tunnels_up) return false;
  return now.getTime() - node.seen_at.getTime() < limits.node.offlineAfterSeconds * 1000;
}

/** 0..100, higher is better: how much of the node is free. */
export function recommendationScore(load: number): number {
  return Math.round((1 - Math.min(1, Math.max(0, load))) * 100);
}

import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { ApiClient } from './api-client.ts';
import type { Firewall, SlotLimit } from './firewall.ts';
import type { Health } from './health.ts';
import type { Log } from './log.ts';
import type { PeerIdentity } from './plan.ts';
import type { RoundTrips } from './round-trips.ts';
import type { Spool } from './spool.ts';
import type { Tunnel } from './tunnels/tunnel.ts';
import { leftBytes, passLimit, REACH_BYTES } from './usage.ts';
import type { ConfigUsage, UsageState } from './usage-state.ts';

/** What the agent works with, and what it knows at the moment. One per process. */
export interface Runtime {
  readonly firewall: Firewall;
  readonly tunnel: Tunnel;
  readonly spool: Spool;
  readonly client: ApiClient;
  readonly health: Health;
  readonly roundTrips: RoundTrips;
  readonly log: Log;
  readonly bootId: string;
  readonly allowMassRemoval: boolean;
  readonly agentVersion: string;
  mintId(): string;
  /** Monotonic. */
  elapsedMs(): number;

  settings: NodeSettings;
  /** The generation that is applied in kernel and daemon. */
  generation: number;
  peers: Map<string, PeerIdentity>;
  /** Which config a slot serves. */
  slots: Map<number, string>;
  highestSlot: number;
  /** Public keys the tunnel had when it was adopted and that we knew nothing of. */
  strangers: Set<string>;
  usage: UsageState;
  /** Removed configs that the kernel blocks, to be read for the last time. */
  leaving: Set<string>;
  /** Configs whose tunnel was live at the last look. */
  live: Set<string>;
  /** The epoch for which the table was built or adopted; differs from the usage's while it has to be built. */
  tableEpoch: string | null;
  tunnelsUp: boolean;
  lastReadingMs: number;
  alarmBytes: number;
}

/** How the kernel is to treat a config now, compared with how it was treated before. */
export function slotLimit(usage: UsageState, config: ConfigUsage, before: ConfigUsage | undefined): SlotLimit {
  const wasShut = before
    ? passLimit(before) === 0n || leftBytes(before) < REACH_BYTES
    : // The slot's last config may have knocked at a closed door.
      usage.freed.has(config.slot);
  return { slot: config.slot, passLimit: passLimit(config), mayHaveDropped: wasShut };
}

/** So many bytes on the interface may use up half of what some config has left: then it is time to look. */
export function alarmBytes(configs: Iterable<ConfigUsage>): number {
  let alarm = Number.POSITIVE_INFINITY;
  for (const config of configs) {
    if (config.blocked || config.quiet || config.presence !== 'here' || !config.lease) continue;
    const left = leftBytes(config);
    if (left >= REACH_BYTES) alarm = Math.min(alarm, left / 2);
  }
  return alarm;
}

export function allLimits(usage: UsageState): SlotLimit[] {
  const limits: SlotLimit[] = [];
  for (const config of usage.configs.values()) {
    if (config.presence !== 'left') limits.push({ slot: config.slot, passLimit: passLimit(config) });
  }
  return limits;
}

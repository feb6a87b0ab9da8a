import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { ApiClient } from './control/api-client.ts';
import type { PeerIdentity } from './control/plan.ts';
import type { Upgrader } from './control/upgrader.ts';
import type { Firewall, SlotLimit } from './firewall/firewall.ts';
import type { Spool } from './metering/spool.ts';
import { doorsOf, isCutOff, leftBytes, passLimit, REACH_BYTES } from './metering/usage.ts';
import type { ConfigUsage, UsageState } from './metering/usage-state.ts';
import type { OwnServices } from './own-services.ts';
import type { Health } from './platform/health.ts';
import type { Log } from './platform/log.ts';
import type { RoundTrips } from './tunnels/round-trips.ts';
import type { Protocol, Tunnel } from './tunnels/tunnel.ts';

/** What the agent works with, and what it knows at the moment. One per process. */
export interface Runtime {
  readonly firewall: Firewall;
  /** WireGuard first: a node that cannot serve it does not start. */
  readonly tunnels: readonly Tunnel[];
  readonly spool: Spool;
  readonly client: ApiClient;
  readonly health: Health;
  readonly services: OwnServices;
  readonly roundTrips: RoundTrips;
  readonly upgrader: Upgrader;
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
  /** Credentials that a tunnel had when it was adopted and that we knew nothing of. */
  strangers: Map<Protocol, ReadonlySet<string>>;
  usage: UsageState;
  /** Removed configs that the kernel blocks, to be read for the last time. */
  leaving: Set<string>;
  /** Questions that the block list kept unanswered, per config, since the last report that told of it. */
  withheld: Map<string, number>;
  /** Configs whose tunnel was live at the last look, with that tunnel. */
  live: Map<string, Tunnel>;
  /** The epoch for which the table was built or adopted; differs from the usage's while it has to be built. */
  tableEpoch: string | null;
  /** Protocols that are served at this moment. */
  up: Set<Protocol>;
  lastReadingMs: number;
  alarmBytes: number;
}

/** How the kernel is to treat a config now, compared with how it was treated before. */
export function slotLimit(usage: UsageState, config: ConfigUsage, before: ConfigUsage | undefined): SlotLimit {
  const wasShut = before
    ? passLimit(before) === 0n || leftBytes(before) < REACH_BYTES
    : // The slot's last config may have knocked at a closed door.
      usage.freed.has(config.slot);
  return { ...limitOf(config), wasShut };
}

function limitOf(config: ConfigUsage): SlotLimit {
  return { slot: config.slot, passLimit: passLimit(config), ...doorsOf(config) };
}

/** As far as the last reading tells: those that have just come to the end of their last lease. */
export function cutLimits(usage: UsageState): SlotLimit[] {
  return [...usage.configs.values()].filter(isCutOff).map(limitOf);
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
    if (config.presence !== 'left') limits.push(limitOf(config));
  }
  return limits;
}

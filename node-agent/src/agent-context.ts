import type { ApiClient } from './control/api-client.ts';
import type { AppliedState } from './control/applied-state.ts';
import type { ControlState } from './control/control-state.ts';
import type { Upgrader } from './control/upgrader.ts';
import type { Resolver } from './dns/resolver.ts';
import type { Firewall } from './firewall/firewall.ts';
import type { MeteringState } from './metering/metering-state.ts';
import type { Reach } from './metering/reach.ts';
import type { Spool } from './metering/spool.ts';
import type { Health } from './platform/health.ts';
import type { Log } from './platform/log.ts';
import type { CaptivePortal } from './portal/captive-portal.ts';
import type { WalledGarden } from './portal/walled-garden.ts';
import type { RelayProbe } from './relays/relay-probe.ts';
import type { Tracer } from './tracing/tracer.ts';
import type { RoundTrips } from './tunnels/round-trips.ts';
import type { SpeedQueues } from './tunnels/speed-queues.ts';
import type { Tunnel } from './tunnels/tunnel.ts';
import type { TunnelState } from './tunnels/tunnel-state.ts';

/** What the loops of an agent share. One per process. */
export interface AgentContext {
  readonly firewall: Firewall;
  /** WireGuard first: a node that cannot serve it does not start. */
  readonly tunnels: readonly Tunnel[];
  readonly spool: Spool;
  readonly client: ApiClient;
  readonly health: Health;
  /** Absent when this machine has no unbound. */
  readonly resolver?: Resolver;
  readonly captivePortal: CaptivePortal;
  readonly walledGarden: WalledGarden;
  readonly roundTrips: RoundTrips;
  readonly speedQueues: SpeedQueues;
  readonly reach: Reach;
  readonly relayProbe: RelayProbe;
  readonly tracer: Tracer;
  readonly upgrader: Upgrader;
  readonly log: Log;
  readonly bootId: string;
  readonly allowMassRemoval: boolean;
  readonly agentVersion: string;
  mintId(): string;
  random(): number;
  /** Monotonic. */
  elapsedMs(): number;

  readonly applied: AppliedState;
  readonly metering: MeteringState;
  readonly tunnelState: TunnelState;
  readonly control: ControlState;
}

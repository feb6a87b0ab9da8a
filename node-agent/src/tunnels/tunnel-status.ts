import { limits } from '@raha/contract/limits.ts';
import type { TunnelStatus } from '@raha/contract/node/protocol.ts';
import type { AgentContext } from '../agent-context.ts';
import { credentialOf } from '../control/plan.ts';
import { describeError } from '../platform/log.ts';
import { withTimeout } from '../platform/with-timeout.ts';
import type { Tunnel, TunnelActivity } from './tunnel.ts';

/** A daemon that hangs must not delay a report: its devices are then reported as unchanged. */
const ACTIVITY_TIMEOUT_MS = 2_000;

/**
 * Status of the live tunnels, and once more of those that have just ceased to be. When there are more than fit into a
 * report, those that have disconnected, connected or fallen silent come first and the others in rotation; the rest waits.
 */
export async function readTunnelStatus(context: AgentContext): Promise<TunnelStatus[]> {
  const { tunnelState, metering, roundTrips } = context;
  const { tunnels, silent } = await listTunnels(context);
  const isLive = (entry: ConfigTunnel) => entry.handshakeAgeSeconds < limits.connection.handshakeFreshSeconds;
  const live = new Map(tunnels.filter(isLive).map(({ config, tunnel }) => [config, tunnel]));
  const disconnected = findDisconnected(context, live, silent).map((config) => ({
    config,
    handshakeAgeSeconds: 0,
    disconnected: true as const,
  }));
  const changed = tunnels.filter((entry) => isLive(entry) !== tunnelState.live.has(entry.config));
  const others = tunnels.filter((entry) => isLive(entry) && tunnelState.live.has(entry.config));
  const room = Math.max(1, limits.node.maxSamplesPerReport - disconnected.length - changed.length);
  const start = others.length === 0 ? 0 : (metering.usage.seq * room) % others.length;
  const all = [...disconnected, ...changed, ...others.slice(start), ...others.slice(0, start)];
  const reported = all.slice(0, limits.node.maxSamplesPerReport);
  const before = tunnelState.live;
  tunnelState.live = new Map(live);
  // What does not fit stays a change.
  for (const { config } of all.slice(reported.length)) restore(tunnelState.live, config, before.get(config));
  for (const [config, tunnel] of before) if (silent.has(tunnel)) restore(tunnelState.live, config, tunnel);
  roundTrips.refresh(pingTargets(context, live));
  return reported.map(({ config, handshakeAgeSeconds, ...entry }) => {
    const pingMs = live.has(config) ? roundTrips.find(config) : null;
    return { config, handshakeAgeSeconds, pingMs, ...('disconnected' in entry ? { disconnected: true } : {}) };
  });
}

/** Configs whose device has connected or disconnected since the last report. */
export async function findChanges(context: AgentContext): Promise<Set<string>> {
  const live = new Map<string, Tunnel>();
  const { tunnels, silent } = await listTunnels(context);
  for (const { config, tunnel, handshakeAgeSeconds } of tunnels) {
    if (handshakeAgeSeconds < limits.connection.handshakeFreshSeconds) live.set(config, tunnel);
  }
  const connected = [...live.keys()].filter((config) => !context.tunnelState.live.has(config));
  return new Set([...connected, ...findDisconnected(context, live, silent)]);
}

interface ConfigTunnel {
  readonly config: string;
  readonly tunnel: Tunnel;
  readonly handshakeAgeSeconds: number;
}

interface TunnelList {
  readonly tunnels: readonly ConfigTunnel[];
  /** Their daemons did not answer. */
  readonly silent: ReadonlySet<Tunnel>;
}

async function listTunnels(context: AgentContext): Promise<TunnelList> {
  const { tunnelState, applied } = context;
  const silent = new Set<Tunnel>();
  // In parallel, because most of the time is spent waiting for the daemons.
  const requests = context.tunnels
    .filter(({ name }) => tunnelState.up.has(name))
    .map(async (tunnel) => {
      const activities = await listActivity(context, tunnel);
      if (!activities) silent.add(tunnel);
      return (activities ?? []).map((activity) => ({ tunnel, activity }));
    });
  const listed = (await Promise.all(requests)).flat();
  // Most of the time there are none; then the configs need not be searched.
  if (listed.length === 0) return { tunnels: [], silent };
  const ids = new Map<string, string>();
  for (const [id, peer] of applied.peers) ids.set(credentialOf(peer).name, id);
  // A device that has changed its transport is listed by both daemons for a while: where it was heard last is where it is.
  const latest = new Map<string, ConfigTunnel>();
  for (const { tunnel, activity } of listed) {
    const config = ids.get(activity.credential);
    const { handshakeAgeSeconds } = activity;
    if (config === undefined || handshakeAgeSeconds >= (latest.get(config)?.handshakeAgeSeconds ?? Infinity)) continue;
    latest.set(config, { config, tunnel, handshakeAgeSeconds });
  }
  return { tunnels: [...latest.values()], silent };
}

/** Configs whose device was connected and is not any more, for daemons that know. */
function findDisconnected(
  { tunnelState }: AgentContext,
  live: ReadonlyMap<string, Tunnel>,
  silent: ReadonlySet<Tunnel>,
): string[] {
  const knows = (tunnel: Tunnel) => tunnel.hasSessions && tunnelState.up.has(tunnel.name) && !silent.has(tunnel);
  return [...tunnelState.live].flatMap(([config, tunnel]) => (knows(tunnel) && !live.has(config) ? [config] : []));
}

function restore(live: Map<string, Tunnel>, config: string, tunnel: Tunnel | undefined): void {
  if (tunnel) live.set(config, tunnel);
  else live.delete(config);
}

function pingTargets({ applied, metering }: AgentContext, live: ReadonlyMap<string, Tunnel>) {
  return [...live].flatMap(([id, tunnel]) => {
    const inner = applied.peers.get(id)?.address4;
    if (!inner || tunnel.endsHere || metering.usage.configs.get(id)?.blocked) return [];
    const address = tunnel.addressOf?.(inner) ?? inner;
    return [{ id, address, ...(tunnel.hasInterfacePerDevice ? {} : { interfaceName: tunnel.interfaceName }) }];
  });
}

/** Undefined when the daemon is shutting down or hangs. The report is sent all the same. */
async function listActivity({ log }: AgentContext, tunnel: Tunnel): Promise<TunnelActivity[] | undefined> {
  try {
    return await withTimeout(ACTIVITY_TIMEOUT_MS, tunnel.name, tunnel.listActivity());
  } catch (error) {
    log.warn('tunnel_activity', { tunnel: tunnel.name, error: describeError(error) });
    return undefined;
  }
}

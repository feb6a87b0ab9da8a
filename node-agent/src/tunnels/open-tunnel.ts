import type { AgentContext } from '../agent-context.ts';
import { credentialOf } from '../control/plan.ts';
import { describeError } from '../platform/log.ts';
import type { Tunnel } from './tunnel.ts';

/** Brings a protocol's daemon, interface and peers up, once the control plane has sent its settings. */
export async function openTunnel(context: AgentContext, tunnel: Tunnel): Promise<void> {
  const { applied, metering, tunnelState, firewall, log } = context;
  const { protocol, name } = tunnel;
  tunnelState.up.delete(name);
  if (tunnel.settingsOf(applied.settings) === undefined) {
    await tunnel.leave?.();
    return;
  }
  const { adopted, installed, nodeAddresses } = await tunnel.open(applied.settings);
  await firewall.answerPings(nodeAddresses);
  // A config that is being removed is not let in again. One without a meter is harmless: it passes no packet.
  const isActive = (id: string) => (metering.usage.configs.get(id)?.presence ?? 'active') === 'active';
  const peers = [...applied.peers.values()].filter((peer) => peer.protocol === protocol && isActive(peer.id));
  const missing = peers.filter((peer) => !installed.has(credentialOf(peer).name));
  await tunnel.apply(missing, []);
  const known = new Set(peers.map((peer) => credentialOf(peer).name));
  tunnelState.unknownPeers.set(name, new Set([...installed].filter((name) => !known.has(name))));
  tunnelState.up.add(name);
  log.info('tunnel_open', { tunnel: name, adopted, peers: peers.length, installed: missing.length });
}

/** The same for an optional protocol: a failure is logged, it is retried later, and the others go on serving. */
export async function tryTunnel(context: AgentContext, tunnel: Tunnel): Promise<void> {
  try {
    await openTunnel(context, tunnel);
  } catch (error) {
    context.log.error('tunnel', { tunnel: tunnel.name, error: describeError(error) });
  }
}

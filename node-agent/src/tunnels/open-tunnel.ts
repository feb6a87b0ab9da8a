import { credentialOf } from '../control/plan.ts';
import { describeError } from '../platform/log.ts';
import type { Runtime } from '../runtime.ts';
import type { Tunnel } from './tunnel.ts';

/** Brings a protocol's daemon, interface and peers (back) up, once the control plane has said enough for it. */
export async function openTunnel(runtime: Runtime, tunnel: Tunnel): Promise<void> {
  const { protocol } = tunnel;
  runtime.up.delete(protocol);
  if (tunnel.settingsOf(runtime.settings) === undefined) return;
  const { adopted, installed, ownAddresses } = await tunnel.open(runtime.settings);
  await runtime.firewall.answerPings(ownAddresses);
  // Whoever is just being removed is not let in again; one that no meter knows yet passes nothing.
  const isHere = (id: string) => (runtime.usage.configs.get(id)?.presence ?? 'here') === 'here';
  const peers = [...runtime.peers.values()].filter((peer) => peer.protocol === protocol && isHere(peer.id));
  const missing = peers.filter((peer) => !installed.has(credentialOf(peer).name));
  await tunnel.apply(missing, []);
  const known = new Set(peers.map((peer) => credentialOf(peer).name));
  runtime.strangers.set(protocol, new Set([...installed].filter((name) => !known.has(name))));
  runtime.up.add(protocol);
  runtime.log.info('tunnel_open', { protocol, adopted, peers: peers.length, installed: missing.length });
}

/** The same for a protocol that the node can do without: it is tried again later, and the others serve meanwhile. */
export async function tryTunnel(runtime: Runtime, tunnel: Tunnel): Promise<void> {
  try {
    await openTunnel(runtime, tunnel);
  } catch (error) {
    runtime.log.error('tunnel', { protocol: tunnel.protocol, error: describeError(error) });
  }
}

import type { DesiredState, Peer } from '@raha/contract/node/protocol.ts';

interface ConfigAddresses {
  readonly id: string;
  readonly address4: string;
  readonly address6: string;
}

export interface WireguardIdentity extends ConfigAddresses {
  readonly protocol: 'wireguard';
  readonly publicKey: string;
  readonly presharedKey: string;
}

export interface OpenvpnIdentity extends ConfigAddresses {
  readonly protocol: 'openvpn';
  readonly commonName: string;
  /** Lets the device in at the proxy, where the node serves that. */
  readonly proxyId?: string;
  /** A blocked device's session is ended and refused. WireGuard has no sessions; there the firewall drops the packets. */
  readonly blocked: boolean;
}

export interface Ikev2Identity extends ConfigAddresses {
  readonly protocol: 'ikev2';
  readonly userName: string;
  readonly ntHash: string;
  /** As for OpenVPN. */
  readonly blocked: boolean;
}

/** What a tunnel needs to know of a config. */
export type PeerIdentity = WireguardIdentity | OpenvpnIdentity | Ikev2Identity;

/** The name under which a protocol's daemon knows a device, and whose ownership the device proves. */
export interface Credential {
  readonly protocol: PeerIdentity['protocol'];
  readonly name: string;
}

export function credentialOf(peer: PeerIdentity): Credential {
  switch (peer.protocol) {
    case 'wireguard':
      return { protocol: peer.protocol, name: peer.publicKey };
    case 'openvpn':
      return { protocol: peer.protocol, name: peer.commonName };
    case 'ikev2':
      return { protocol: peer.protocol, name: peer.userName };
  }
}

/** Leaves out what the tunnels do not need: leases and, for WireGuard, blocks. */
export function identityOf(peer: Peer): PeerIdentity {
  const { id, address4, address6, blocked } = peer;
  switch (peer.protocol) {
    case 'wireguard': {
      const { protocol, publicKey, presharedKey } = peer;
      return { id, protocol, publicKey, presharedKey, address4, address6 };
    }
    case 'openvpn': {
      const { protocol, commonName, proxyId } = peer;
      return { id, protocol, commonName, ...(proxyId ? { proxyId } : {}), blocked, address4, address6 };
    }
    case 'ikev2': {
      const { protocol, userName, ntHash } = peer;
      return { id, protocol, userName, ntHash, blocked, address4, address6 };
    }
  }
}

export interface Changes {
  readonly kind: 'apply';
  /** New or changed configs, complete. */
  readonly upserted: readonly Peer[];
  readonly removed: readonly string[];
  /** Peers that the tunnel does not have in this form yet. */
  readonly install: readonly PeerIdentity[];
  /** Credentials that the tunnels must forget: of removed configs, and old ones of configs whose keys were reset. */
  readonly forget: readonly Credential[];
}

export type Plan =
  | Changes
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refuse'; readonly removals: number; readonly of: number };

/** More missing configs than this, and more than half of all, are not removed without the operator's consent. */
const MASS_REMOVAL = 10;

/**
 * Decides what to change to reach the desired state. Refuses a snapshot in which most configs are missing: that is far
 * more likely a fault of the control plane (a restored database) than an intention. Configs that are named as removed are
 * removed, however many (a retired node, a closed account); otherwise one such order would block all later ones.
 */
export function planChanges(
  desired: DesiredState,
  actual: ReadonlyMap<string, PeerIdentity>,
  options: { readonly allowMassRemoval: boolean },
): Plan {
  if (desired.kind === 'unchanged') return { kind: 'nothing' };
  const missing = desired.kind === 'delta' ? [] : findMissing(desired, actual);
  if (!options.allowMassRemoval && missing.length > MASS_REMOVAL && missing.length > actual.size / 2) {
    return { kind: 'refuse', removals: missing.length, of: actual.size };
  }
  const removed = [...missing, ...desired.removed.filter((id) => actual.has(id))];
  const install: PeerIdentity[] = [];
  const forget = removed.flatMap((id) => {
    const present = actual.get(id);
    return present ? [credentialOf(present)] : [];
  });
  for (const peer of desired.peers.map(identityOf)) {
    const present = actual.get(peer.id);
    if (present && isSame(present, peer)) continue;
    install.push(peer);
    if (present && !isSame(credentialOf(present), credentialOf(peer))) forget.push(credentialOf(present));
  }
  return { kind: 'apply', upserted: desired.peers, removed, install, forget };
}

/** Configs of the node that the complete state does not mention. */
function findMissing(
  desired: Extract<DesiredState, { kind: 'snapshot' }>,
  actual: ReadonlyMap<string, PeerIdentity>,
): string[] {
  const ids = new Set([...desired.peers.map((peer) => peer.id), ...desired.removed]);
  return [...actual.keys()].filter((id) => !ids.has(id));
}

/** Both come from functions of this file, which write their fields in the same order. */
function isSame(a: PeerIdentity | Credential, b: PeerIdentity | Credential): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

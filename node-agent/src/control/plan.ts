import type { DesiredState, Peer } from '@raha/contract/node/protocol.ts';

interface Place {
  readonly id: string;
  readonly address4: string;
  readonly address6: string;
}

export interface WireguardIdentity extends Place {
  readonly protocol: 'wireguard';
  readonly publicKey: string;
  readonly presharedKey: string;
}

export interface OpenvpnIdentity extends Place {
  readonly protocol: 'openvpn';
  readonly commonName: string;
  /** A blocked device's session is ended and none begins; of WireGuard, which has none, the firewall drops the packets. */
  readonly blocked: boolean;
}

export interface Ikev2Identity extends Place {
  readonly protocol: 'ikev2';
  readonly userName: string;
  readonly ntHash: string;
  /** As with OpenVPN. */
  readonly blocked: boolean;
}

/** What the tunnel needs to know of a config. */
export type PeerIdentity = WireguardIdentity | OpenvpnIdentity | Ikev2Identity;

/** What a device proves to be its own: the name under which its protocol's daemon knows it. */
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

/** Leaves out what the tunnels need not know: leases and, of some protocols, blocks. */
export function identityOf(peer: Peer): PeerIdentity {
  const { id, address4, address6, blocked } = peer;
  switch (peer.protocol) {
    case 'wireguard': {
      const { protocol, publicKey, presharedKey } = peer;
      return { id, protocol, publicKey, presharedKey, address4, address6 };
    }
    case 'openvpn':
      return { id, protocol: peer.protocol, commonName: peer.commonName, blocked, address4, address6 };
    case 'ikev2': {
      const { protocol, userName, ntHash } = peer;
      return { id, protocol, userName, ntHash, blocked, address4, address6 };
    }
  }
}

export interface Changes {
  readonly kind: 'apply';
  /** New or changed configs, whole. */
  readonly upserted: readonly Peer[];
  readonly removed: readonly string[];
  /** Peers the tunnel does not have in this form yet. */
  readonly install: readonly PeerIdentity[];
  /** What the tunnels must forget: credentials of removed configs, and old ones of configs whose keys were reset. */
  readonly forget: readonly Credential[];
}

export type Plan =
  | Changes
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refuse'; readonly removals: number; readonly of: number };

/** More missing configs than this, and more than half of all, are not dropped without a user's word. */
const MASS_REMOVAL = 10;

/**
 * Decides what to change so that the node serves what is wanted. Refuses a snapshot in which most configs are missing: it
 * is far likelier to be a fault of the control plane (a restored database) than a wish. Who removes a config names it,
 * and is obeyed: a retired node, a closed account. Otherwise one such wish would keep a node from hearing any other.
 */
export function planChanges(
  wanted: DesiredState,
  actual: ReadonlyMap<string, PeerIdentity>,
  options: { readonly allowMassRemoval: boolean },
): Plan {
  if (wanted.kind === 'unchanged') return { kind: 'nothing' };
  const missing = wanted.kind === 'delta' ? [] : findMissing(wanted, actual);
  if (!options.allowMassRemoval && missing.length > MASS_REMOVAL && missing.length > actual.size / 2) {
    return { kind: 'refuse', removals: missing.length, of: actual.size };
  }
  const removed = [...missing, ...wanted.removed.filter((id) => actual.has(id))];
  const install: PeerIdentity[] = [];
  const forget = removed.flatMap((id) => {
    const present = actual.get(id);
    return present ? [credentialOf(present)] : [];
  });
  for (const peer of wanted.peers.map(identityOf)) {
    const present = actual.get(peer.id);
    if (present && isSame(present, peer)) continue;
    install.push(peer);
    if (present && !isSame(credentialOf(present), credentialOf(peer))) forget.push(credentialOf(present));
  }
  return { kind: 'apply', upserted: wanted.peers, removed, install, forget };
}

/** Configs of the node of which the whole state does not say a word. */
function findMissing(
  wanted: Extract<DesiredState, { kind: 'snapshot' }>,
  actual: ReadonlyMap<string, PeerIdentity>,
): string[] {
  const ids = new Set([...wanted.peers.map((peer) => peer.id), ...wanted.removed]);
  return [...actual.keys()].filter((id) => !ids.has(id));
}

/** Both come from functions of this file, which name their fields in one order. */
function isSame(a: PeerIdentity | Credential, b: PeerIdentity | Credential): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

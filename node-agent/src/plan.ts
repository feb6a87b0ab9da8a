import type { DesiredState, Peer } from '@raha/contract/node/protocol.ts';

/** What the tunnel needs to know of a config. */
export interface PeerIdentity {
  readonly id: string;
  readonly publicKey: string;
  readonly presharedKey: string;
  readonly address4: string;
  readonly address6: string;
}

export interface Changes {
  readonly kind: 'apply';
  /** New or changed configs, whole. */
  readonly upserted: readonly Peer[];
  readonly removed: readonly string[];
  /** Peers the tunnel does not have in this form yet. */
  readonly install: readonly PeerIdentity[];
  /** Public keys the tunnel must forget: of removed configs, and old ones of configs whose keys were reset. */
  readonly forget: readonly string[];
}

export type Plan =
  | Changes
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refuse'; readonly removals: number; readonly of: number };

/** A plan that drops more configs than this, and more than half of all, is not applied without a person's word. */
const MASS_REMOVAL = 10;

/**
 * Decides what to change so that the node serves what is wanted. Refuses a plan that would drop most configs: it is far
 * likelier to be a fault of the control plane than a wish.
 */
export function planChanges(
  wanted: DesiredState,
  actual: ReadonlyMap<string, PeerIdentity>,
  options: { readonly allowMassRemoval: boolean },
): Plan {
  if (wanted.kind === 'unchanged') return { kind: 'nothing' };
  const removed = wanted.kind === 'delta' ? wanted.removed.filter((id) => actual.has(id)) : findAbsent(wanted, actual);
  if (!options.allowMassRemoval && removed.length > MASS_REMOVAL && removed.length > actual.size / 2) {
    return { kind: 'refuse', removals: removed.length, of: actual.size };
  }
  const install: PeerIdentity[] = [];
  const forget = removed.map((id) => actual.get(id)?.publicKey).filter((key) => key !== undefined);
  for (const peer of wanted.peers) {
    const present = actual.get(peer.id);
    if (present && isSameIdentity(present, peer)) continue;
    install.push(peer);
    if (present && present.publicKey !== peer.publicKey) forget.push(present.publicKey);
  }
  return { kind: 'apply', upserted: wanted.peers, removed, install, forget };
}

function findAbsent(
  wanted: Extract<DesiredState, { kind: 'snapshot' }>,
  actual: ReadonlyMap<string, PeerIdentity>,
): string[] {
  const ids = new Set(wanted.peers.map((peer) => peer.id));
  return [...actual.keys()].filter((id) => !ids.has(id));
}

function isSameIdentity(a: PeerIdentity, b: PeerIdentity): boolean {
  return (
    a.publicKey === b.publicKey &&
    a.presharedKey === b.presharedKey &&
    a.address4 === b.address4 &&
    a.address6 === b.address6
  );
}

import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { StoredState } from '../metering/spool.ts';
import type { PeerIdentity } from './plan.ts';

/** The part of the desired state that is applied in the kernel and the daemons. */
export interface AppliedState {
  settings: NodeSettings;
  generation: number;
  readonly peers: Map<string, PeerIdentity>;
  /** Which config each slot serves. */
  readonly slots: Map<number, string>;
  highestSlot: number;
}

/** Generation 0 asks for the complete state first, whatever the spool has. */
export function createAppliedState(settings: NodeSettings, stored: StoredState | null): AppliedState {
  return {
    settings,
    generation: 0,
    peers: new Map(stored?.peers.map((peer) => [peer.id, peer])),
    slots: new Map(),
    highestSlot: 0,
  };
}

export function toStoredState({ generation, settings, peers }: AppliedState): StoredState {
  return { generation, settings, peers: [...peers.values()] };
}

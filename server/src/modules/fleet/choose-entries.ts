import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { limits } from '@raha/contract/limits.ts';
import type { RelayRow } from './relay-tables.ts';

/** What is known of a relay in one family; `untried`: its node has not tried it yet, or its agent is of before relays. */
export type RelayState = 'up' | 'away' | 'untried';

/**
 * By what its node measured. It is compared with when the node last tried, and not with now: a control plane that was away, or
 * a node, says nothing about a relay.
 */
export function relayState(relay: RelayRow, family: 4 | 6): RelayState {
  const { tried_at: tried } = relay;
  if (tried === null) return 'untried';
  const heard = family === 4 ? relay.heard4_at : relay.heard6_at;
  const isFresh = heard !== null && tried.getTime() - heard.getTime() < limits.relay.awayAfterSeconds * 1000;
  return isFresh ? 'up' : 'away';
}

interface Entries {
  readonly node: { readonly address: string };
  readonly relays: readonly RelayRow[];
  readonly blocks: readonly { readonly relay_id: string | null }[];
}

/** A file names no more hosts beside the node than this: each that does not answer costs its device five seconds. */
const MAX_BESIDE = 3;

/**
 * The hosts at which a device finds its node, the first one first: the name of its entries, relays that work, the node itself. Configs
 * begin with different relays, so that a few collected files do not show them all. If all are blocked, the node's
 * address stands there nevertheless: a file must name something.
 */
export function entryHosts(
  { node, relays, blocks, name }: Entries & { readonly name?: string | undefined },
  configId: string,
): [string, ...string[]] {
  const order = relays.toSorted((a, b) => (rank(configId, a) < rank(configId, b) ? -1 : 1));
  const beside = [...(name === undefined ? [] : [name]), ...relayAddresses(order, blocks)].slice(0, MAX_BESIDE);
  const [first, ...more] = beside;
  if (first === undefined) return [node.address];
  return isBlocked(blocks, null) ? [first, ...more] : [first, ...more, node.address];
}

/** The addresses of relays that work and are not blocked; if there are none, the node's own unless that is. */
export function openAddresses({ node, relays, blocks }: Entries): string[] {
  const beside = relayAddresses(relays, blocks);
  if (beside.length > 0) return beside;
  return isIP(node.address) === 0 || isBlocked(blocks, null) ? [] : [node.address];
}

function relayAddresses(relays: readonly RelayRow[], blocks: Entries['blocks']): string[] {
  const open = relays.filter(({ id }) => !isBlocked(blocks, id));
  return ([4, 6] as const).flatMap((family) =>
    open.flatMap((relay) => {
      const address = family === 4 ? relay.address4 : relay.address6;
      return address !== null && relayState(relay, family) === 'up' ? [address] : [];
    }),
  );
}

function isBlocked(blocks: Entries['blocks'], relayId: string | null): boolean {
  return blocks.some(({ relay_id }) => relay_id === relayId);
}

function rank(configId: string, { id }: RelayRow): string {
  return createHash('sha256').update(`${configId} ${id}`).digest('hex');
}

import { isIP, isIPv4, isIPv6 } from 'node:net';
import { limits } from '@raha/contract/limits.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import type { Vault } from '../../platform/sealed.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { certifyOpenconnect } from './certificate-authority.ts';
import { getUnrevokedNode } from './get-node.ts';
import { deleteRelay, insertRelay, lockRelayNames, type NewRelay, selectRelays } from './relay-tables.ts';
import type { Relay } from './relays.ts';
import { nodeStateChanged } from './signals.ts';
import { raiseGeneration } from './tables.ts';

interface RelayDeps {
  readonly db: Database;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly audit: Audit;
}

export interface RelayOrder {
  readonly actor: Actor;
  readonly name: string;
  readonly nodeId: string;
  /** Of the relay, for devices; at least one. */
  readonly address4?: string | undefined;
  readonly address6?: string | undefined;
  /** Of the node, as the relay reaches it; the node's own address when absent. */
  readonly exit4?: string | undefined;
  readonly exit6?: string | undefined;
}

/**
 * Registers a machine that will forward to a node, which tries it from now on; files name it once it works. Refuses a family without
 * an address of the node in it, an address that another relay has, and more relays than a node tries.
 */
export async function addRelay(deps: RelayDeps & { readonly vault: Vault }, order: RelayOrder): Promise<Relay> {
  const node = await getUnrevokedNode(deps.db, order.nodeId);
  const now = deps.clock.now();
  const relay = { id: newId(now), ...readOrder(order, node), node_id: node.id, created_at: now };
  await inTransaction(deps.db, async (tx) => {
    await lockRelayNames(tx);
    await raiseGeneration(tx, node.id);
    refuseTaken(await selectRelays(tx), relay);
    await insertRelay(tx, relay);
    await deps.bus.announce(tx, nodeStateChanged, { nodeId: node.id });
    const details = { name: relay.name, node: node.name };
    await deps.audit.record(tx, order.actor, { action: 'relays.add', target: targetOf(relay), details });
  });
  // If it fails, the node's next request for OpenVPN's certificate does it.
  await certifyOpenconnect(deps, node);
  return { ...relay, tried_at: null, heard4_at: null, heard6_at: null, round_trip_ms: null };
}

/** New files do without it, and its node tries it no more. What its machine forwards it goes on forwarding until it is switched off. */
export async function removeRelay(
  deps: RelayDeps,
  { actor, relay }: { readonly actor: Actor; readonly relay: Relay },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await endRelay(tx, deps, relay);
    await deps.audit.record(tx, actor, {
      action: 'relays.remove',
      target: targetOf(relay),
      details: { name: relay.name },
    });
  });
}

async function endRelay(tx: Tx, { bus }: RelayDeps, { id, node_id: nodeId }: Relay): Promise<void> {
  await deleteRelay(tx, id);
  await raiseGeneration(tx, nodeId);
  await bus.announce(tx, nodeStateChanged, { nodeId });
}

function targetOf({ id }: { readonly id: string }) {
  return { kind: 'relay', id } as const;
}

function readOrder(order: RelayOrder, node: { readonly name: string; readonly address: string | null }) {
  if (!/^[a-z0-9][a-z0-9-]{0,30}$/.test(order.name))
    throw new OperatorMistake('invalid', 'takes lower-case letters, digits and hyphens, at most 31.', 'name');
  const address4 = readAddress(order.address4, 'address', isIPv4, 'IPv4');
  const address6 = readAddress(order.address6, 'address6', isIPv6, 'IPv6');
  if (address4 === null && address6 === null)
    throw new OperatorMistake('invalid', 'A relay needs an address: --address, --address6, or both.');
  const own = node.address ?? '';
  const exit4 = readAddress(order.exit4 ?? (isIP(own) === 4 ? own : undefined), 'exit', isIPv4, 'IPv4');
  const exit6 = readAddress(order.exit6 ?? (isIP(own) === 6 ? own : undefined), 'exit6', isIPv6, 'IPv6');
  if (address4 !== null && exit4 === null) throw new OperatorMistake('invalid', exitNeeded('IPv4', node.name), 'exit');
  if (address6 !== null && exit6 === null) throw new OperatorMistake('invalid', exitNeeded('IPv6', node.name), 'exit6');
  const exits = { exit4: address4 === null ? null : exit4, exit6: address6 === null ? null : exit6 };
  if ((address4 !== null && address4 === exit4) || (address6 !== null && address6 === exit6))
    throw new OperatorMistake('invalid', 'The relay must be another machine than its node.');
  return { name: order.name, address4, address6, ...exits };
}

function exitNeeded(family: string, node: string): string {
  return `is needed: the ${family} address of "${node}", to which the relay forwards.`;
}

function readAddress(
  text: string | undefined,
  field: string,
  isValid: (text: string) => boolean,
  family: string,
): string | null {
  if (text === undefined) return null;
  const address = text.toLowerCase();
  if (!isValid(address) || address.includes('%'))
    throw new OperatorMistake('invalid', `takes an ${family} address.`, field);
  return address;
}

function refuseTaken(relays: readonly Relay[], relay: NewRelay): void {
  const conflict = (sentence: string) => new OperatorMistake('conflict', sentence);
  if (relays.some(({ name }) => name === relay.name)) throw conflict(`There is a relay "${relay.name}" already.`);
  const taken = new Set(relays.flatMap(({ address4, address6 }) => [address4, address6]));
  for (const address of [relay.address4, relay.address6])
    if (address !== null && taken.has(address)) throw conflict(`${address} is the address of another relay already.`);
  if (relays.filter(({ node_id }) => node_id === relay.node_id).length >= limits.relay.perNode)
    throw conflict(`A node has at most ${limits.relay.perNode} relays.`);
}

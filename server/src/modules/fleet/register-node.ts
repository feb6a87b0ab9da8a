import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { addNode, type NodeOrder } from './add-node.ts';
import { findNodeByName } from './get-node.ts';
import { readHost } from './host.ts';

/** An operator adds a node. Returns the single-use token with which its agent enrols. */
export async function registerNode(
  deps: { readonly db: Database; readonly clock: Clock; readonly log: Log },
  { actor, ...order }: NodeOrder & { readonly actor: Actor },
): Promise<{ nodeId: string; token: string }> {
  const country = order.country.toUpperCase();
  if (!/^[a-z0-9][a-z0-9-]{0,30}$/.test(order.name))
    throw new OperatorMistake('invalid', 'takes lower-case letters, digits and hyphens, at most 31.', 'name');
  if (!/^[A-Z]{2}$/.test(country))
    throw new OperatorMistake('invalid', 'takes two letters (ISO 3166), such as DE.', 'country');
  if (await findNodeByName(deps.db, order.name))
    throw new OperatorMistake('conflict', `There is a node "${order.name}" already.`);
  const address = order.address === undefined ? undefined : requireHost(order.address);
  const added = await addNode(deps, { ...order, country, address });
  logAction(deps, actor, 'nodes.add', { nodeId: added.nodeId });
  return added;
}

/** The host becomes part of every device's file and of the node's certificate. */
function requireHost(address: string): string {
  const host = readHost(address);
  if (host) return host;
  const sentence = 'takes an IPv4 or IPv6 address, or a host name, without a port.';
  throw new OperatorMistake('invalid', sentence, 'address');
}

import type { Actor, Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { addNode, type NodeOrder } from './add-node.ts';
import { findNodeByName } from './get-node.ts';
import { readHost } from './host.ts';

/** An operator adds a node. Returns the single-use token with which its agent enrols. */
export async function registerNode(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
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
  return await addNode(deps, { ...order, country, address }, async (tx, nodeId) => {
    const details = { name: order.name, country };
    await deps.audit.record(tx, actor, { action: 'nodes.add', target: { kind: 'node', id: nodeId }, details });
  });
}

/** The host becomes part of every device's file and of the node's certificate. */
function requireHost(address: string): string {
  const host = readHost(address);
  if (host) return host;
  const sentence = 'takes an IPv4 or IPv6 address, or a host name, without a port.';
  throw new OperatorMistake('invalid', sentence, 'address');
}

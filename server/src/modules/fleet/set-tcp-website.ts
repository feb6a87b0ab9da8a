import { type Actor, type Audit, differences } from '../../platform/audit.ts';
import type { Bus } from '../../platform/bus.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { getUnrevokedNode } from './get-node.ts';
import { OPENVPN_TCP_PORT } from './rules.ts';
import { nodeStateChanged } from './signals.ts';
import { raiseGeneration } from './tables.ts';
import { updateTcpWebsite } from './way-tables.ts';

/** Names and IPv4 addresses with a port; the agent writes them into a file of OpenVPN. */
const WEBSITE = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?:[0-9]{1,5}$/;

/**
 * The node serves OpenVPN over TCP beside this website (`host` or `host:port`), or no longer (null); it learns of it
 * at once. Returns the website as it is kept. Refuses what is no address, and the node's own.
 */
export async function setTcpWebsite(
  deps: { readonly db: Database; readonly bus: Bus; readonly audit: Audit },
  order: { readonly actor: Actor; readonly nodeId: string; readonly website: string | null },
): Promise<string | null> {
  const { actor, nodeId } = order;
  const node = await getUnrevokedNode(deps.db, nodeId);
  const website = order.website === null || order.website.includes(':') ? order.website : `${order.website}:443`;
  if (website !== null && (!WEBSITE.test(website) || Number(website.split(':')[1]) > 65_535))
    throw new OperatorMistake(
      'invalid',
      `"${order.website}" is no website: give its name, as www.example.org or www.example.org:443.`,
    );
  if (website !== null && website.split(':')[0] === node.address)
    throw new OperatorMistake(
      'invalid',
      'The website must be at another address than the node, or it would show itself for ever.',
    );
  if (website !== null && node.openconnect_port === OPENVPN_TCP_PORT)
    throw new OperatorMistake(
      'conflict',
      `"${node.name}" serves OpenConnect at port ${OPENVPN_TCP_PORT}: move that first.`,
    );
  const changed = differences({ tcpWebsite: node.openvpn_tcp_website }, { tcpWebsite: website });
  await inTransaction(deps.db, async (tx) => {
    await updateTcpWebsite(tx, nodeId, website);
    await raiseGeneration(tx, nodeId);
    await deps.bus.announce(tx, nodeStateChanged, { nodeId });
    await deps.audit.record(tx, actor, { action: 'nodes.tcp', target: { kind: 'node', id: nodeId }, changed });
  });
  return website;
}

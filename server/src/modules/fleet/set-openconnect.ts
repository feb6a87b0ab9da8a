import { limits } from '@raha/contract/limits.ts';
import { type Actor, type Audit, differences } from '../../platform/audit.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { Vault } from '../../platform/sealed.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { certifyOpenconnect } from './certificate-authority.ts';
import { deleteCertificate } from './certificate-authority-tables.ts';
import { getNode, getUnrevokedNode } from './get-node.ts';
import type { Node } from './nodes.ts';
import { OPENVPN_TCP_PORT } from './rules.ts';
import { nodeStateChanged } from './signals.ts';
import { raiseGeneration } from './tables.ts';
import { updateOpenconnect } from './way-tables.ts';

export interface OpenconnectOrder {
  readonly actor: Actor;
  readonly nodeId: string;
  /** Of TCP, and of UDP where it is used; null: not at this node any more. */
  readonly port: number | null;
  readonly udp: boolean;
}

/**
 * The node serves OpenConnect at this port for its OpenVPN configs, or no longer; it learns of it at once, and gets the certificate for
 * it as soon as OpenVPN has one. Refuses a port that another protocol of the node has.
 */
export async function setOpenconnect(
  deps: {
    readonly db: Database;
    readonly bus: Bus;
    readonly audit: Audit;
    readonly clock: Clock;
    readonly vault: Vault;
  },
  { actor, nodeId, port, udp }: OpenconnectOrder,
): Promise<void> {
  const node = await getUnrevokedNode(deps.db, nodeId);
  if (port !== null && takenPorts(node, udp).includes(port))
    throw new OperatorMistake('conflict', `Port ${port} of "${node.name}" belongs to another of its protocols.`);
  const changed = differences(
    { openconnectPort: node.openconnect_port, openconnectUdp: node.openconnect_udp },
    { openconnectPort: port, openconnectUdp: udp },
  );
  await inTransaction(deps.db, async (tx) => {
    await updateOpenconnect(tx, nodeId, { port, udp });
    if (port === null) await deleteCertificate(tx, nodeId, 'openconnect');
    await raiseGeneration(tx, nodeId);
    await deps.bus.announce(tx, nodeStateChanged, { nodeId });
    await deps.audit.record(tx, actor, { action: 'nodes.openconnect', target: { kind: 'node', id: nodeId }, changed });
  });
  // If it fails, the node's next request for OpenVPN's certificate does it.
  if (port !== null) await certifyOpenconnect(deps, await getNode(deps.db, nodeId));
}

function takenPorts(node: Node, udp: boolean): number[] {
  const overTcp = node.openvpn_tcp_website === null ? [] : [OPENVPN_TCP_PORT];
  const overUdp = [node.wireguard_port, node.openvpn_port, 500, 4500, limits.relay.probePort];
  return udp ? [...overTcp, ...overUdp] : overTcp;
}

import type { Actor, Audit } from '../../platform/audit.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { getUnrevokedNode } from './get-node.ts';
import { listNodes, type Node } from './nodes.ts';
import { raiseGeneration, updateDesiredAgent } from './tables.ts';

/**
 * One node, or all that have enrolled and are not revoked, replace their agent by that of this server's release; each
 * learns of it with its next poll. `sha256` names that agent. Returns the nodes.
 */
export async function upgradeNodes(
  deps: { readonly db: Database; readonly audit: Audit },
  order: {
    readonly actor: Actor;
    readonly nodes: 'all' | { readonly nodeId: string };
    readonly sha256: string;
  },
): Promise<{ readonly sha256: string; readonly nodes: readonly Node[] }> {
  const { actor, sha256 } = order;
  const nodes =
    order.nodes === 'all'
      ? (await listNodes(deps.db)).filter(({ status, signing_key }) => status !== 'revoked' && signing_key !== null)
      : [await getUnrevokedNode(deps.db, order.nodes.nodeId)];
  for (const { id } of nodes)
    await inTransaction(deps.db, async (tx) => {
      await updateDesiredAgent(tx, id, sha256);
      await raiseGeneration(tx, id);
      await deps.audit.record(tx, actor, {
        action: 'nodes.upgrade',
        target: { kind: 'node', id },
        details: { sha256 },
      });
    });
  return { sha256, nodes };
}

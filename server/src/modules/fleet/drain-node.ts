import type { Audit } from '../../platform/audit.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { getUnrevokedNode } from './get-node.ts';
import type { NodeOrder } from './operator-order.ts';
import { updateStatus } from './tables.ts';

/** The node takes no new configs; those that it has continue. */
export async function drainNode(
  deps: { readonly db: Database; readonly audit: Audit },
  { actor, nodeId, reason, stillMay }: NodeOrder,
): Promise<void> {
  const { name, status } = await getUnrevokedNode(deps.db, nodeId);
  if (status === 'retired')
    throw new OperatorMistake('conflict', `"${name}" is being retired; nodes activate ends that.`);
  await inTransaction(deps.db, async (tx) => {
    await stillMay?.(tx);
    await updateStatus(tx, nodeId, 'draining', undefined);
    await deps.audit.record(tx, actor, { action: 'nodes.drain', target: { kind: 'node', id: nodeId }, reason });
  });
}

import type { Audit } from '../../platform/audit.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { getUnrevokedNode } from './get-node.ts';
import type { NodeOrder } from './operator-order.ts';
import { updateStatus } from './tables.ts';

/** Back in service. Of a node that was being retired, moved configs stay where they are and the others do not end. */
export async function activateNode(
  deps: { readonly db: Database; readonly audit: Audit },
  { actor, nodeId, reason, stillMay }: NodeOrder,
): Promise<void> {
  await getUnrevokedNode(deps.db, nodeId);
  await inTransaction(deps.db, async (tx) => {
    await stillMay?.(tx);
    await updateStatus(tx, nodeId, 'active', undefined);
    await deps.audit.record(tx, actor, { action: 'nodes.activate', target: { kind: 'node', id: nodeId }, reason });
  });
}

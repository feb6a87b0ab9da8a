import type { Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { requireTarget } from './get-node.ts';
import type { NodeOrder } from './operator-order.ts';
import { updateStatus } from './tables.ts';

/**
 * Out at once and for good: none of the node's requests is accepted any more. Its users are moved, and the money of its
 * leases returns to them (`configs/leave-servers.ts`).
 */
export async function revokeNode(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
  { actor, nodeId, movesTo, reason, stillMay }: NodeOrder & { readonly movesTo: string | null },
): Promise<void> {
  await requireTarget(deps.db, nodeId, movesTo);
  await inTransaction(deps.db, async (tx) => {
    await stillMay?.(tx);
    await updateStatus(tx, nodeId, 'revoked', { retiresAt: deps.clock.now(), movesTo });
    const target = { kind: 'node', id: nodeId } as const;
    await deps.audit.record(tx, actor, { action: 'nodes.revoke', target, reason, details: { movesTo } });
  });
}

import type { Audit } from '../../platform/audit.ts';
import { addDays, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { getUnrevokedNode, requireTarget } from './get-node.ts';
import type { NodeOrder } from './operator-order.ts';
import { updateStatus } from './tables.ts';

/** Old and new files both work for so long, unless the operator chose otherwise. */
const DAYS_BESIDE = 7;

/**
 * Moves the node's users to another server, the given one or the best there is; both serve them until the returned date.
 * Retired again with other days, the new date counts, and users are notified of it. What follows for the configs is the
 * work of `configs/leave-servers.ts`.
 */
export async function retireNode(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
  order: NodeOrder & { readonly movesTo: string | null; readonly days?: number | undefined },
): Promise<Date> {
  const { actor, nodeId, movesTo, days = DAYS_BESIDE, reason, stillMay } = order;
  await getUnrevokedNode(deps.db, nodeId);
  await requireTarget(deps.db, nodeId, movesTo);
  const retiresAt = addDays(deps.clock.now(), days);
  await inTransaction(deps.db, async (tx) => {
    await stillMay?.(tx);
    await updateStatus(tx, nodeId, 'retired', { retiresAt, movesTo });
    const target = { kind: 'node', id: nodeId } as const;
    await deps.audit.record(tx, actor, { action: 'nodes.retire', target, reason, details: { movesTo, days } });
  });
  return retiresAt;
}

import type { Clock } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { requireTarget } from './get-node.ts';
import { updateStatus } from './tables.ts';

/**
 * Out at once and for good: none of the node's requests is accepted any more. Its users are moved, and the money of its
 * leases returns to them (`configs/leave-servers.ts`).
 */
export async function revokeNode(
  deps: { readonly db: Executor; readonly clock: Clock; readonly log: Log },
  { actor, nodeId, movesTo }: { readonly actor: Actor; readonly nodeId: string; readonly movesTo: string | null },
): Promise<void> {
  await requireTarget(deps.db, nodeId, movesTo);
  await updateStatus(deps.db, nodeId, 'revoked', { retiresAt: deps.clock.now(), movesTo });
  logAction(deps, actor, 'nodes.revoke', { nodeId, movesTo });
}

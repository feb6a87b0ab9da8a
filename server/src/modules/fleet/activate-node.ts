import type { Executor } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { getUnrevokedNode } from './get-node.ts';
import { updateStatus } from './tables.ts';

/** Back in service. Of a node that was being retired, moved configs stay where they are and the others do not end. */
export async function activateNode(
  deps: { readonly db: Executor; readonly log: Log },
  { actor, nodeId }: { readonly actor: Actor; readonly nodeId: string },
): Promise<void> {
  await getUnrevokedNode(deps.db, nodeId);
  await updateStatus(deps.db, nodeId, 'active', undefined);
  logAction(deps, actor, 'nodes.activate', { nodeId });
}

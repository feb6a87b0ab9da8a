import type { Executor } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { getUnrevokedNode } from './get-node.ts';
import { updateStatus } from './tables.ts';

/** The node takes no new configs; those that it has continue. */
export async function drainNode(
  deps: { readonly db: Executor; readonly log: Log },
  { actor, nodeId }: { readonly actor: Actor; readonly nodeId: string },
): Promise<void> {
  const { name, status } = await getUnrevokedNode(deps.db, nodeId);
  if (status === 'retired')
    throw new OperatorMistake('conflict', `"${name}" is being retired; nodes activate ends that.`);
  await updateStatus(deps.db, nodeId, 'draining', undefined);
  logAction(deps, actor, 'nodes.drain', { nodeId });
}

import type { Executor } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { forgetAnomalies } from './anomalies.ts';

/** The operator has looked into what the node did, and wants no more warnings about it. */
export async function clearAnomalies(
  deps: { readonly db: Executor; readonly log: Log },
  { actor, nodeId }: { readonly actor: Actor; readonly nodeId: string },
): Promise<void> {
  await forgetAnomalies(deps.db, nodeId);
  logAction(deps, actor, 'nodes.cleared', { nodeId });
}

import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { renewEnrolment } from './add-node.ts';
import { getUnrevokedNode } from './get-node.ts';

/** Issues a fresh enrolment token for a node whose machine is set up anew. */
export async function issueEnrolmentToken(
  deps: { readonly db: Database; readonly clock: Clock; readonly log: Log },
  { actor, nodeId }: { readonly actor: Actor; readonly nodeId: string },
): Promise<{ nodeId: string; token: string }> {
  const { name } = await getUnrevokedNode(deps.db, nodeId);
  const renewed = await renewEnrolment(deps, name);
  if (!renewed) throw new OperatorMistake('not-found', `There is no node "${name}".`);
  logAction(deps, actor, 'nodes.token', { nodeId });
  return renewed;
}

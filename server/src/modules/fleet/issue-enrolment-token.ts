import type { Actor, Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { renewEnrolment } from './add-node.ts';
import { getUnrevokedNode } from './get-node.ts';

/** Issues a fresh enrolment token for a node whose machine is set up anew. */
export async function issueEnrolmentToken(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
  { actor, nodeId }: { readonly actor: Actor; readonly nodeId: string },
): Promise<{ nodeId: string; token: string }> {
  const { name } = await getUnrevokedNode(deps.db, nodeId);
  const renewed = await renewEnrolment(deps, name, (tx) =>
    deps.audit.record(tx, actor, { action: 'nodes.token', target: { kind: 'node', id: nodeId } }),
  );
  if (!renewed) throw new OperatorMistake('not-found', `There is no node "${name}".`);
  return renewed;
}

import type { Actor, Audit } from '../../platform/audit.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { forgetAnomalies } from './anomalies.ts';

/** The operator has looked into what the node did, and wants no more warnings about it. */
export async function clearAnomalies(
  deps: { readonly db: Database; readonly audit: Audit },
  { actor, nodeId }: { readonly actor: Actor; readonly nodeId: string },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await forgetAnomalies(tx, nodeId);
    await deps.audit.record(tx, actor, { action: 'nodes.cleared', target: { kind: 'node', id: nodeId } });
  });
}

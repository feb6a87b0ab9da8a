import { type Actor, type Audit, differences } from '../../platform/audit.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { getNode } from './get-node.ts';
import { updateTerms } from './tables.ts';

/** What the node's provider charges, and how much traffic it allows in a calendar month. Null: nothing agreed. */
export interface NodeTerms {
  readonly monthlyCapGb: number | null;
  readonly costUsdMicrosPerGb: bigint | null;
}

/** Changes the given terms; those that are undefined stay. Returns all of them. */
export async function setNodeTerms(
  deps: { readonly db: Database; readonly audit: Audit },
  order: { readonly actor: Actor; readonly nodeId: string } & {
    readonly [Term in keyof NodeTerms]?: NodeTerms[Term] | undefined;
  },
): Promise<NodeTerms> {
  const { actor, nodeId, monthlyCapGb, costUsdMicrosPerGb } = order;
  const node = await getNode(deps.db, nodeId);
  const terms = {
    monthlyCapGb: monthlyCapGb === undefined ? node.monthly_cap_gb : monthlyCapGb,
    costUsdMicrosPerGb: costUsdMicrosPerGb === undefined ? node.cost_usd_micros_per_gb : costUsdMicrosPerGb,
  };
  const before = { monthlyCapGb: node.monthly_cap_gb, costUsdMicrosPerGb: node.cost_usd_micros_per_gb };
  await inTransaction(deps.db, async (tx) => {
    await updateTerms(tx, nodeId, terms);
    const target = { kind: 'node', id: nodeId } as const;
    await deps.audit.record(tx, actor, { action: 'nodes.set', target, changed: differences(before, terms) });
  });
  return terms;
}

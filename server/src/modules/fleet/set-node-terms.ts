import type { Executor } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { getNode } from './get-node.ts';
import { updateTerms } from './tables.ts';

/** What the node's provider charges, and how much traffic it allows in a calendar month. Null: nothing agreed. */
export interface NodeTerms {
  readonly monthlyCapGb: number | null;
  readonly costUsdMicrosPerGb: bigint | null;
}

/** Changes the given terms; those that are undefined stay. Returns all of them. */
export async function setNodeTerms(
  deps: { readonly db: Executor; readonly log: Log },
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
  await updateTerms(deps.db, nodeId, terms);
  logAction(deps, actor, 'nodes.set', { nodeId });
  return terms;
}

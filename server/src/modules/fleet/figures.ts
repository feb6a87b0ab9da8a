import type { Executor } from '../../platform/database.ts';
import { isOnline } from './rules.ts';
import { selectAllNodes, selectFreeSlots } from './tables.ts';

/** What an operator's dashboard shows of a node that has ever reported and is still in use. */
export interface NodeFigures {
  readonly name: string;
  readonly isOnline: boolean;
  /** For how many more configs there is room; none on a node that takes no new ones. */
  readonly freeSlots: number;
  /** Upper bound of what passed without being billed, since the agent's state began. */
  readonly unmeteredBytes: number;
}

/** The names of those of them that do not report: without their slots, which are many rows. */
export async function listSilentNodes(db: Executor, now: Date): Promise<string[]> {
  const nodes = await selectAllNodes(db);
  return nodes.filter((node) => isInUse(node) && !isOnline(node, now)).map(({ name }) => name);
}

function isInUse({ status, seen_at }: { readonly status: string; readonly seen_at: Date | null }): boolean {
  return seen_at !== null && status !== 'revoked' && status !== 'inactive';
}

export async function readNodeFigures(db: Executor, now: Date): Promise<NodeFigures[]> {
  const slots = await selectFreeSlots(db);
  const nodes = await selectAllNodes(db);
  return nodes.filter(isInUse).map((node) => {
    const takesConfigs = node.status === 'active' && (node.capped_until === null || node.capped_until <= now);
    const { free, unmetered } = slots.get(node.id) ?? { free: 0, unmetered: 0 };
    return {
      name: node.name,
      isOnline: isOnline(node, now),
      freeSlots: takesConfigs ? free : 0,
      unmeteredBytes: unmetered,
    };
  });
}

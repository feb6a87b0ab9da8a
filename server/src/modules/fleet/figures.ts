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

export async function readNodeFigures(db: Executor, now: Date): Promise<NodeFigures[]> {
  const slots = await selectFreeSlots(db);
  const nodes = await selectAllNodes(db);
  return nodes
    .filter(({ status, seen_at }) => seen_at !== null && status !== 'revoked' && status !== 'inactive')
    .map((node) => {
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

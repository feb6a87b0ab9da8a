import { addDays, type Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction } from '../../platform/database.ts';
import type { Node } from './nodes.ts';
import {
  raiseGeneration,
  selectNodeByName,
  updateCapped,
  updateDesiredAgent,
  updateStatus,
  updateTerms,
} from './tables.ts';

/** What the operator does to a node that exists. What follows for its configs is the work of `configs/leave-servers.ts`. */

export async function findNodeByName(db: Executor, name: string): Promise<Node | undefined> {
  return await selectNodeByName(db, name);
}

/** Nothing new comes to it; what is there goes on. */
export async function drainNode(db: Executor, id: string): Promise<void> {
  await updateStatus(db, id, 'draining', undefined);
}

/** Back in service, also one that was to be retired: what has been moved stays where it is, the rest does not end. */
export async function activateNode(db: Executor, id: string): Promise<void> {
  await updateStatus(db, id, 'active', undefined);
}

/**
 * Its people are moved to another server, the one named or the best there is; both serve them until the days are over.
 * Said again with other days it is the new day that counts, and that they are told.
 */
export async function retireNode(
  deps: { readonly db: Executor; readonly clock: Clock },
  id: string,
  order: { readonly days: number; readonly movesTo: string | null },
): Promise<Date> {
  const retiresAt = addDays(deps.clock.now(), order.days);
  await updateStatus(deps.db, id, 'retired', { retiresAt, movesTo: order.movesTo });
  return retiresAt;
}

/** Out at once: nothing that it says is heard any more. Its people are moved, and what its leases held comes back to them. */
export async function revokeNode(
  deps: { readonly db: Executor; readonly clock: Clock },
  id: string,
  movesTo: string | null,
): Promise<void> {
  await updateStatus(deps.db, id, 'revoked', { retiresAt: deps.clock.now(), movesTo });
}

/** What its provider takes, and lets pass in a calendar month; null: nothing agreed. */
export async function setTerms(db: Executor, id: string, terms: Parameters<typeof updateTerms>[2]): Promise<void> {
  await updateTerms(db, id, terms);
}

/** The cap of the month is reached: nothing new comes until the next. Null: it is not, or is no more. */
export async function setCapped(db: Executor, id: string, until: Date | null): Promise<void> {
  await updateCapped(db, id, until);
}

/** Wants another agent on a node: the one that this server serves. The node hears of it with its next question. */
export async function upgradeNode(db: Database, id: string, sha256: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await updateDesiredAgent(tx, id, sha256);
    await raiseGeneration(tx, id);
  });
}

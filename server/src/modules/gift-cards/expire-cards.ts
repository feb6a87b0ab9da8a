import type { Database } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { requireCards } from './list-cards.ts';
import { updateExpiry } from './tables.ts';

/** Changes the expiry of a batch's unredeemed cards: earlier, later, or now. Returns how many. */
export async function expireCards(
  deps: { readonly db: Database; readonly log: Log },
  { actor, batchId, at }: { readonly actor: Actor; readonly batchId: string; readonly at: Date },
): Promise<number> {
  await requireCards(deps.db, { batchId });
  const count = await updateExpiry(deps.db, batchId, at);
  logAction(deps, actor, 'gift-cards.expire', { batchId, at: at.toISOString(), count });
  return count;
}

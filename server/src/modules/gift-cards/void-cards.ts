import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { type CardChoice, requireCards } from './list-cards.ts';
import { updateVoid } from './tables.ts';

/** Voids the unredeemed cards of a batch, or one card, permanently. Returns how many. Redeemed cards never change. */
export async function voidCards(
  deps: { readonly db: Database; readonly clock: Clock; readonly log: Log },
  { actor, which }: { readonly actor: Actor; readonly which: CardChoice },
): Promise<number> {
  await requireCards(deps.db, which);
  const count = await updateVoid(deps.db, which, deps.clock.now());
  logAction(deps, actor, 'gift-cards.void', { ...which, count });
  return count;
}

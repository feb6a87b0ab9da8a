import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { type Actor, logAction } from '../accounts/actor.ts';
import { bookBreakage } from './break-cards.ts';
import { type CardChoice, requireCards } from './list-cards.ts';
import { breakChosen } from './sale-tables.ts';
import { updateVoid } from './tables.ts';

/** Voids the unredeemed cards of a batch, or one card, permanently. Returns how many. Redeemed cards never change. */
export async function voidCards(
  deps: { readonly db: Database; readonly clock: Clock; readonly log: Log },
  { actor, which }: { readonly actor: Actor; readonly which: CardChoice },
): Promise<number> {
  await requireCards(deps.db, which);
  const count = await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now();
    await bookBreakage(tx, await breakChosen(tx, which, now), now);
    return await updateVoid(tx, which, now);
  });
  logAction(deps, actor, 'gift-cards.void', { ...which, count });
  return count;
}

import type { Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { bookBreakage } from './break-cards.ts';
import { type CardChoice, requireCards } from './list-cards.ts';
import { type CardOrder, refuseUnchanged } from './operator-order.ts';
import { breakChosen } from './sale-tables.ts';
import { updateVoid } from './tables.ts';

/** Voids the unredeemed cards of a batch, or one card, permanently. Returns how many. Redeemed cards never change. */
export async function voidCards(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
  order: CardOrder & { readonly which: CardChoice },
): Promise<number> {
  const { actor, which, reason } = order;
  const batchId = await requireCards(deps.db, which);
  return await inTransaction(deps.db, async (tx) => {
    await order.stillMay?.(tx);
    const now = deps.clock.now();
    await bookBreakage(tx, await breakChosen(tx, which, now), now);
    const cards = await updateVoid(tx, which, now);
    refuseUnchanged(order, cards);
    const target = { kind: 'batch', id: batchId } as const;
    await deps.audit.record(tx, actor, { action: 'gift-cards.void', target, reason, details: { ...which, cards } });
    return cards;
  });
}

import type { Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { bookBreakage } from './break-cards.ts';
import { requireCards } from './list-cards.ts';
import { type CardOrder, refuseUnchanged } from './operator-order.ts';
import { mendExtended } from './sale-tables.ts';
import { updateExpiry } from './tables.ts';

/** Changes the expiry of a batch's unredeemed cards: earlier, later, or now. Returns how many. */
export async function expireCards(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
  order: CardOrder & { readonly batchId: string; readonly at: Date },
): Promise<number> {
  const { actor, batchId, at, reason } = order;
  await requireCards(deps.db, { batchId });
  return await inTransaction(deps.db, async (tx) => {
    await order.stillMay?.(tx);
    const now = deps.clock.now();
    const changed = await updateExpiry(tx, batchId, at);
    await bookBreakage(tx, -(await mendExtended(tx, batchId, now)), now);
    refuseUnchanged(order, changed);
    const details = { at: at.toISOString(), cards: changed };
    const target = { kind: 'batch', id: batchId } as const;
    await deps.audit.record(tx, actor, { action: 'gift-cards.expire', target, reason, details });
    return changed;
  });
}

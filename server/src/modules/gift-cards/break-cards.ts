import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { house } from '../ledger/house.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { breakExpired } from './sale-tables.ts';

/**
 * What sold cards took in that nobody will redeem becomes revenue; negative when expired cards got a later end. The day is
 * that of the books.
 */
export async function bookBreakage(tx: Tx, toman: bigint, now: Date, day?: string): Promise<void> {
  if (toman === 0n) return;
  const movements = [
    { accountId: house.cardLiability, amountToman: -toman },
    { accountId: house.cardBreakage, amountToman: toman },
  ];
  const purpose = toman > 0n ? 'break' : 'mend';
  const cause = { kind: 'gift_card', sourceType: 'gift_card_breakage', sourceId: newId(now), purpose } as const;
  await postTransfer(tx, { ...cause, movements, ...(day === undefined ? {} : { day }) }, now);
}

/** Books sold cards whose end has passed: one transfer for each Tehran day on which some ended. Returns how many days. */
export async function breakExpiredCards(deps: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  return await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now();
    const days = await breakExpired(tx, now);
    for (const { day, toman } of days) await bookBreakage(tx, toman, now, day);
    return days.length;
  });
}

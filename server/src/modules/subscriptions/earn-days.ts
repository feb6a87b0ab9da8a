import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { house } from '../ledger/house.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { earnUntil, insertEarnedDay, selectDaysToEarn } from './earning-tables.ts';

/** So that a clock that was wrong by centuries does not keep a worker for hours. */
const MOST_DAYS = 400;

/**
 * Moves what each day until yesterday has earned from deferred plans to revenue: one transfer a day for all plans, booked
 * on that day. A day is earned once, whatever worker does it; days of an outage follow one after the other. Returns how
 * many days were booked.
 */
export async function earnDays(deps: { readonly db: Database; readonly clock: Clock }): Promise<number> {
  const now = deps.clock.now();
  const days = await selectDaysToEarn(deps.db, now, MOST_DAYS);
  for (const day of days) {
    await inTransaction(deps.db, async (tx) => {
      if (!(await insertEarnedDay(tx, day, now))) return;
      const toman = await earnUntil(tx, day);
      if (toman === 0n) return;
      const movements = [
        { accountId: house.planDeferred, amountToman: -toman },
        { accountId: house.planRevenue, amountToman: toman },
      ];
      const cause = { kind: 'subscription', sourceType: 'earned_day', sourceId: day, purpose: 'earn' } as const;
      await postTransfer(tx, { ...cause, movements, day }, now);
    });
  }
  return days.length;
}

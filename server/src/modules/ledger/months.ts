import type { Executor, Tx } from '../../platform/database.ts';
import type { MonthDays } from './jalali-month.ts';
import * as tables from './month-tables.ts';

export type { ClosedMonth, MonthRow } from './month-tables.ts';

/** Closed months, oldest first. */
export const listClosedMonths = (db: Executor) => tables.selectClosedMonths(db);

/** The first day of the books, and the first day that is not in a closed month; null while nothing is booked. */
export const firstDays = (db: Executor) => tables.selectFirstDays(db);

/** What a span of days moved on each account, by cause; what every account held at its end; what in it is late. */
export async function sumDays(db: Executor, days: MonthDays) {
  const moved = await tables.selectMoved(db, days);
  return { moved, closing: await tables.selectClosing(db, days.to), late: await tables.selectLate(db, days) };
}

/** See `closeMonth` in the tables. False if it is closed already. */
export async function closeBooks(
  tx: Tx,
  month: string,
  days: MonthDays,
  by: { readonly operator: string; readonly now: Date },
): Promise<boolean> {
  return await tables.closeMonth(tx, month, days, by);
}

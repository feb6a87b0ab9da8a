import { addDays, tehranDay } from '../../platform/clock.ts';
import { daysOfMonth, monthOf } from '../ledger/jalali-month.ts';
import type { CapMonth } from './cap-tables.ts';

export { type CapMonth, copyCap, renewCaps, selectCapsToKeep as listCapsToKeep, updateCap } from './cap-tables.ts';

/** The month in which monthly caps are counted: the Jalali one of Tehran that contains `now`. */
export function capMonth(now: Date): CapMonth {
  const day = tehranDay(now);
  const from = daysOfMonth(monthOf(day))?.from ?? day;
  return { from, begins: new Date(`${from}T00:00:00+03:30`) };
}

/** When the next month begins, in which a cap counts from zero again. */
export function capEnds(now: Date): Date {
  return capMonth(addDays(capMonth(now).begins, 32)).begins;
}

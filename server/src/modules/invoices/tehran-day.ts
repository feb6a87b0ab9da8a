import { addDays } from '../../platform/clock.ts';
import { monthOf } from '../ledger/jalali-month.ts';

/** The Tehran day of an instant, as YYYY-MM-DD in the Gregorian calendar. */
export function tehranDay(instant: Date): string {
  return addDays(instant, 3.5 / 24)
    .toISOString()
    .slice(0, 10);
}

/** The Jalali year of an instant, by which its documents are numbered. */
export function yearOf(instant: Date): number {
  return Number(monthOf(tehranDay(instant)).split('-')[0]);
}

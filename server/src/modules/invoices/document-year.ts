import { tehranDay } from '../../platform/clock.ts';
import { monthOf } from '../ledger/jalali-month.ts';

/** The Jalali year of an instant, by which its documents are numbered. */
export function yearOf(instant: Date): number {
  return Number(monthOf(tehranDay(instant)).split('-')[0]);
}

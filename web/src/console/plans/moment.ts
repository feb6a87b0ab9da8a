import { foldDigits } from '@raha/contract/persian.ts';

/** A day and a time of Tehran, as a member types them: 1405/09/15 and 09:30, or the day of the Gregorian calendar, 2026-12-06. */

const DAY_MS = 86_400_000;
const TEHRAN_MS = 12_600_000;
/** Years below are of the Jalali calendar. */
const FIRST_GREGORIAN = 1_700;

const jalali = new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
  timeZone: 'UTC',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
});

/** `[1405, 9, 15]` of a midnight in UTC. */
function jalaliOf(at: number): readonly number[] {
  const parts = Object.fromEntries(jalali.formatToParts(at).map(({ type, value }) => [type, value]));
  return [Number.parseInt(parts.year ?? '', 10), Number(parts.month), Number(parts.day)];
}

const two = (value: number) => String(value).padStart(2, '0');

/** The day and time of an instant, as the fields have them; the day by the calendar of the language. */
export function typedOf(at: number, isJalali: boolean): { readonly day: string; readonly time: string } {
  const tehran = new Date(at + TEHRAN_MS);
  const [year = 0, month = 0, day = 0] = isJalali
    ? jalaliOf(tehran.getTime())
    : [tehran.getUTCFullYear(), tehran.getUTCMonth() + 1, tehran.getUTCDate()];
  const time = `${two(tehran.getUTCHours())}:${two(tehran.getUTCMinutes())}`;
  return { day: `${year}/${two(month)}/${two(day)}`, time };
}

/** The instant; undefined: there is no such day or time. */
export function readMoment(typed: { readonly day: string; readonly time: string }): Date | undefined {
  const day = /^(\d{4})[/.-](\d{1,2})[/.-](\d{1,2})$/.exec(foldDigits(typed.day).trim());
  const time = /^(\d{1,2})[:٫.](\d{2})$/.exec(foldDigits(typed.time).trim());
  if (!day || !time) return undefined;
  const [hours, minutes] = [Number(time[1]), Number(time[2])];
  const midnight = readDay(Number(day[1]), Number(day[2]), Number(day[3]));
  if (midnight === undefined || hours > 23 || minutes > 59) return undefined;
  return new Date(midnight + (hours * 60 + minutes) * 60_000 - TEHRAN_MS);
}

/** The midnight in UTC of a day. */
function readDay(year: number, month: number, day: number): number | undefined {
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  if (year >= FIRST_GREGORIAN) {
    const at = Date.UTC(year, month - 1, day);
    return new Date(at).getUTCDate() === day ? at : undefined;
  }
  // The first six months have 31 days each. The year begins between 20 and 22 March.
  const passed = (month - 1) * 30 + Math.min(month - 1, 6) + day - 1;
  const near = Date.UTC(year + 621, 2, 19) + passed * DAY_MS;
  return [0, 1, 2, 3]
    .map((days) => near + days * DAY_MS)
    .find((at) => [year, month, day].every((part, index) => jalaliOf(at)[index] === part));
}

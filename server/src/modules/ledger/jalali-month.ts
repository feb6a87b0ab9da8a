/** Months of the Jalali calendar, as 1405-08; days as YYYY-MM-DD in the Gregorian one. */
export interface MonthDays {
  /** First and last day, inclusive. */
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;
/** The calendar of the runtime (ICU). */
const calendar = new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
  timeZone: 'UTC',
  year: 'numeric',
  month: 'numeric',
});

/** The Jalali month of a day. */
export function monthOf(day: string): string {
  const parts = calendar.formatToParts(Date.parse(day));
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return `${of('year')}-${of('month').padStart(2, '0')}`;
}

/** The days of a month; undefined if it is none. */
export function daysOfMonth(month: string): MonthDays | undefined {
  const [, year = '', number = ''] = /^(1[34]\d\d)-(0[1-9]|1[0-2])$/.exec(month) ?? [];
  if (year === '') return undefined;
  // Some day near the middle: the year begins about 20 March, and months have 29 to 31 days.
  const middle = Date.UTC(Number(year) + 621, 2, 20) + (Number(number) - 0.5) * 30.5 * DAY_MS;
  const days: string[] = [];
  for (let offset = -31; offset <= 31; offset += 1) {
    const day = new Date(middle + offset * DAY_MS).toISOString().slice(0, 10);
    if (monthOf(day) === month) days.push(day);
  }
  const [from, to] = [days[0], days.at(-1)];
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** The month after a month, or before it. */
export function nextMonth(month: string, by: 1 | -1 = 1): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const months = year * 12 + number - 1 + by;
  return `${Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, '0')}`;
}

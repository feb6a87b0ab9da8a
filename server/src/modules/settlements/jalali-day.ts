/** Days as banks write them, as YYYY-MM-DD in the Gregorian calendar; Tehran's if an instant is given. */

const persian = new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
  timeZone: 'UTC',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
});
const DAY_MS = 86_400_000;
const TEHRAN_MS = 3.5 * 3_600_000;
const known = new Map<string, string | undefined>();

/**
 * Reads a Jalali or Gregorian date (year first; digits are ASCII), with or without a time, or Unix seconds or milliseconds.
 * Undefined if it is none.
 */
export function readDay(text: string): string | undefined {
  if (/^1[5-9]\d{8}(\d{3})?$/.test(text)) {
    const instant = Number(text) * (text.length === 10 ? 1_000 : 1);
    return isoDay(instant + TEHRAN_MS);
  }
  const parts = /^(1[34]\d\d|20\d\d)[/.-]?(\d{1,2})[/.-]?(\d{1,2})(?:[ T،,-]+(\d{1,2}:\d\d(?::\d\d)?.*))?$/.exec(text);
  if (!parts) return undefined;
  const [, year = '', month = '', day = '', time = ''] = parts;
  // An instant of another zone may be another day in Tehran.
  if (/T.*(Z|[+-]\d\d:?\d\d)$/.test(text) && Number.isFinite(Date.parse(text)))
    return isoDay(Date.parse(text) + TEHRAN_MS);
  if (time !== '' && !/^([01]?\d|2[0-3]):[0-5]\d/.test(time)) return undefined;
  if (Number(year) < 1900) return jalaliDay(Number(year), Number(month), Number(day));
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const parsed = Date.parse(iso);
  // February has no 31st: Date makes it March.
  return Number.isFinite(parsed) && isoDay(parsed) === iso ? iso : undefined;
}

/** By the calendar of the runtime (ICU): an estimate, corrected until it is written as was asked. */
function jalaliDay(year: number, month: number, day: number): string | undefined {
  const key = `${year}/${month}/${day}`;
  if (known.has(key)) return known.get(key);
  if (known.size > 10_000) known.clear();
  const wanted = year * 372 + month * 31 + day;
  let guess = Date.UTC(year + 621, 2, 20) + ((month - 1) * 30.6 + day) * DAY_MS;
  guess -= guess % DAY_MS;
  let found: string | undefined;
  for (let tries = 0; tries < 8 && found === undefined; tries += 1) {
    const off = wanted - serialOf(guess);
    if (off === 0) found = isoDay(guess);
    else guess += Math.max(-5, Math.min(5, off)) * DAY_MS;
  }
  known.set(key, month >= 1 && month <= 12 && day >= 1 && day <= 31 ? found : undefined);
  return known.get(key);
}

function serialOf(utcDay: number): number {
  const parts = Object.fromEntries(persian.formatToParts(utcDay).map(({ type, value }) => [type, value]));
  return (
    Number.parseInt(parts.relatedYear ?? parts.year ?? '', 10) * 372 + Number(parts.month) * 31 + Number(parts.day)
  );
}

const isoDay = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10);

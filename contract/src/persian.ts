import type { Locale } from './locale.ts';
/** Normalizes Persian and Arabic input for storage, and formats stored values in Persian. */

/** Persian (۰-۹) and Arabic-Indic (٠-٩) digits become ASCII digits; everything else stays. */
export function foldDigits(text: string): string {
  return text.replace(/[۰-۹٠-٩]/g, (digit) => String(digit.charCodeAt(0) & 15));
}

/** Arabic ي and ك become their Persian forms, so that a name typed on any keyboard is the same name. */
export function foldLetters(text: string): string {
  return text.replace(/[يى]/g, 'ی').replace(/ك/g, 'ک');
}

/** Direction marks, embeddings, overrides and isolates: invisible characters that can disguise a text. */
const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A user's or a thing's name: letters folded, controls and direction marks removed, white space collapsed, NFC.
 * The zero-width non-joiner stays, because Persian words need it.
 */
export function cleanName(text: string): string {
  return (
    foldLetters(text)
      .normalize('NFC')
      .replace(bidiControls, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what must go
      .replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  );
}

/** An e-mail address as it is compared and stored: digits folded, invisible marks and spaces removed, lower case. */
export function cleanEmail(text: string): string {
  return foldDigits(text)
    .replace(bidiControls, '')
    .replace(/[\s\u200b-\u200d]/g, '')
    .toLowerCase();
}

/** A one-time code: only its digits, whatever digits and separators were pasted. */
export function cleanCode(text: string): string {
  return foldDigits(text).replace(/\D/g, '');
}

/** A mobile number as it is stored: +98, 0098 and a missing 0 become 0; separators and invisible marks go. */
export function cleanPhone(text: string): string {
  return foldDigits(text)
    .replace(bidiControls, '')
    .replace(/[\s()\u200b-\u200d._-]/g, '')
    .replace(/^(\+98|0098|98)?0?(?=9\d{9}$)/, '0');
}

/** An amount typed with Persian digits and thousands separators; `NaN` when it is not a whole number. */
export function parseAmount(text: string): number {
  const digits = foldDigits(text).replace(/[\s٬,،_]/g, '');
  return /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
}

/** Created on first use: creating all eight at once takes a slow phone a tenth of a second. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const numbers = { fa: once(() => new Intl.NumberFormat('fa-IR')), en: once(() => new Intl.NumberFormat('en-US')) };
/** As the platform writes it; its first formatter of numbers takes a slow phone longer than a whole form does. */
export function formatNumber(value: number, locale: Locale = 'fa'): string {
  if (!Number.isSafeInteger(value) || value < 0) return numbers[locale]().format(value);
  const digits = String(value).replace(/\B(?=(\d{3})+$)/g, ',');
  return locale === 'en' ? digits : digits.replace(/./g, (sign) => '۰۱۲۳۴۵۶۷۸۹'[Number(sign)] ?? '٬');
}

const decimals = (digits: number) => ({
  fa: once(() => new Intl.NumberFormat('fa-IR', { maximumFractionDigits: digits })),
  en: once(() => new Intl.NumberFormat('en-US', { maximumFractionDigits: digits })),
});
const tenths = decimals(1);
const hundredths = decimals(2);
const byteUnits = {
  fa: ['بایت', 'کیلوبایت', 'مگابایت', 'گیگابایت', 'ترابایت'],
  en: ['B', 'KB', 'MB', 'GB', 'TB'],
} as const;

/**
 * Bytes in decimal units (1 GB = 10⁹ bytes, the unit in which usage is priced): gigabytes and more with two fraction
 * digits at most, smaller units with one.
 */
export function formatBytes(bytes: number, locale: Locale = 'fa'): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 999.95 && unit < 4) {
    value /= 1000;
    unit += 1;
  }
  const format = (unit < 3 ? tenths : hundredths)[locale]();
  return `${format.format(unit === 0 ? Math.round(value) : value)} ${byteUnits[locale][unit]}`;
}

const dates = {
  fa: once(
    () => new Intl.DateTimeFormat('fa-IR', { timeZone: 'Asia/Tehran', day: 'numeric', month: 'long', year: 'numeric' }),
  ),
  en: once(
    () => new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Tehran', day: 'numeric', month: 'long', year: 'numeric' }),
  ),
};
const times = {
  fa: once(() => new Intl.DateTimeFormat('fa-IR', { timeZone: 'Asia/Tehran', hour: '2-digit', minute: '2-digit' })),
  en: once(() => new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Tehran', hour: '2-digit', minute: '2-digit' })),
};

/** A day in Tehran: Jalali («۲۹ آبان ۱۴۰۵») in Persian, Gregorian in English. */
export function formatDate(instant: Date, locale: Locale = 'fa'): string {
  return dates[locale]().format(instant);
}

export function formatTime(instant: Date, locale: Locale = 'fa'): string {
  return times[locale]().format(instant);
}

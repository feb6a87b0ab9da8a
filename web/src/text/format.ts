import { formatBytes, formatDate, formatNumber, formatTime } from '@raha/contract/persian.ts';
import { m } from './generated/messages.js';
import { currentLocale } from './locale.ts';

/** Formats values in the words and digits of the current language. */

export function number(value: number): string {
  return formatNumber(value, currentLocale());
}

export function bytes(value: number): string {
  return formatBytes(value, currentLocale());
}

export function toman(value: number): string {
  return m.toman({ amount: number(value) });
}

/** Signed, with the sign in front of the digits in both directions of writing. */
export function signedNumber(value: number): string {
  const sign = value > 0 ? '+' : value < 0 ? '−' : '';
  return `\u200e${sign}${number(Math.abs(value))}`;
}

export function date(instant: string): string {
  return formatDate(new Date(instant), currentLocale());
}

export function dateTime(instant: string): string {
  const at = new Date(instant);
  return m.date_and_time({ date: formatDate(at, currentLocale()), time: formatTime(at, currentLocale()) });
}

/** «جمعه ۲۹ آبان ۱۴۰۵»: `dateStyle: 'full'` puts the Persian parts in the wrong order, so they are joined here. */
export function longDay(at: Date): string {
  const options = { timeZone: 'Asia/Tehran', weekday: 'long' } as const;
  const weekday = new Intl.DateTimeFormat(currentLocale() === 'fa' ? 'fa-IR' : 'en-GB', options).format(at);
  return `${weekday} ${formatDate(at, currentLocale())}`;
}

export function countryName(code: string): string {
  try {
    return new Intl.DisplayNames(currentLocale(), { type: 'region' }).of(code) ?? code;
  } catch {
    return code;
  }
}

export function milliseconds(value: number): string {
  return m.milliseconds({ value: number(Math.round(value)) });
}

/** Bits per second, in the units that providers advertise. */
export function bitRate(bitsPerSecond: number): string {
  if (bitsPerSecond >= 1_000_000) return m.megabits({ value: number(Math.round(bitsPerSecond / 100_000) / 10) });
  return m.kilobits({ value: number(Math.round(bitsPerSecond / 1000)) });
}

/** «۲ ساعت و ۱۴ دقیقه». */
export function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1) return m.duration_moments();
  const hours = Math.floor(minutes / 60);
  if (hours < 1) return m.duration_minutes({ minutes: number(minutes) });
  const days = Math.floor(hours / 24);
  if (days >= 1) {
    const rest = hours % 24;
    return rest === 0
      ? m.duration_whole_days({ days: number(days) })
      : m.duration_days({ days: number(days), hours: number(rest) });
  }
  const rest = minutes % 60;
  return rest === 0
    ? m.duration_whole_hours({ hours: number(hours) })
    : m.duration_hours({ hours: number(hours), minutes: number(rest) });
}

/** A countdown: m:ss. */
export function clock(seconds: number): string {
  const digits = new Intl.NumberFormat(currentLocale() === 'fa' ? 'fa-IR' : 'en', { minimumIntegerDigits: 2 });
  return `${number(Math.floor(seconds / 60))}:${digits.format(seconds % 60)}`;
}

/** «۱ میلیون و ۲۵۰ هزار تومان»: an amount in words. Empty under a thousand. */
export function tomanInWords(amount: number): string {
  const parts: string[] = [];
  const millions = Math.floor(amount / 1_000_000);
  const thousands = Math.floor((amount % 1_000_000) / 1000);
  if (millions > 0) parts.push(m.millions({ value: number(millions) }));
  if (thousands > 0) parts.push(m.thousands({ value: number(thousands) }));
  if (parts.length === 0) return '';
  if (amount % 1000 > 0) parts.push(number(amount % 1000));
  return m.toman({ amount: parts.join(m.and()) });
}

/** An instant within a day of Tehran (`2026-11-20`). */
function noonOf(day: string): Date {
  return new Date(`${day}T12:00:00+03:30`);
}

export function dayName(day: string, style: 'long' | 'narrow'): string {
  const options = { timeZone: 'Asia/Tehran', weekday: style } as const;
  return new Intl.DateTimeFormat(currentLocale() === 'fa' ? 'fa-IR' : 'en-GB', options).format(noonOf(day));
}

/** «۲۹ آبان». */
export function shortDay(day: string): string {
  const options = { timeZone: 'Asia/Tehran', day: 'numeric', month: 'short' } as const;
  return new Intl.DateTimeFormat(currentLocale() === 'fa' ? 'fa-IR' : 'en-GB', options).format(noonOf(day));
}

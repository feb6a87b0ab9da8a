import { limits } from '@raha/contract/limits.ts';
import type { Locale } from '@raha/contract/locale.ts';
import { formatNumber } from '@raha/contract/persian.ts';

/** What of a person is deleted by age, in words. The types ask for each period of the rules; their figures stand nowhere else. */
export type KeptTexts = Readonly<Record<Exclude<keyof typeof limits.keptDays, 'exchangeRates'>, string>>;

/** A point for each, the shortest period first: «Notifications: 180 days». */
export function keptPoints(texts: KeptTexts, locale: Locale): string[] {
  return Object.entries(texts)
    .map(([period, text]) => ({ text, days: limits.keptDays[period as keyof KeptTexts] as number }))
    .sort((a, b) => a.days - b.days)
    .map(({ text, days }) => `${text}: ${formatNumber(days, locale)}\u00a0${dayWord(days, locale)}`);
}

function dayWord(days: number, locale: Locale): string {
  if (locale === 'fa') return 'روز';
  return days === 1 ? 'day' : 'days';
}

import type { Locale } from './locale.ts';
import { formatNumber } from './persian.ts';

/**
 * Values that the operator sets and pages show. The build leaves placeholders for them in the static pages; the server
 * fills these in when it serves a page, so that a setting appears on every page at once, also without scripts.
 */
export interface SiteValues {
  readonly brand: string;
  readonly brandEnglish: string;
  /** Whole, and its two lines where it is a title. */
  readonly tagline: string;
  readonly taglineFirst: string;
  readonly taglineSecond: string;
  readonly taglineEnglish: string;
  readonly taglineEnglishFirst: string;
  readonly taglineEnglishSecond: string;
  readonly supportEmail: string;
  readonly passwordDays: number;
  readonly passwordlessDays: number;
  /** What a trial gives: how much, and after what, in half a sentence and in a whole one. */
  readonly trialTerms: string;
  readonly trialTermsEnglish: string;
  readonly trialMeaning: string;
  readonly trialMeaningEnglish: string;
  readonly countries: number;
  readonly servers: number;
  readonly monthlyPriceToman: number;
  readonly othersFromToman: number;
  readonly othersToToman: number;
  readonly devices: number;
  /** Of five. */
  readonly rating: number;
  readonly packageToman: number;
  /** US cents per GB (10⁹ bytes). */
  readonly usdCentsPerGb: number;
  readonly configsPerUser: number;
  /** `on` where screens may fall back to samples. */
  readonly sampleData: string;
}

export type SitePlaceholder = keyof SiteValues;

/** Stands for a value in a page. `plain` keeps Latin digits, for attributes that scripts read. */
export function placeholder(name: SitePlaceholder, form: 'written' | 'plain' = 'written'): string {
  return form === 'plain' ? `%{${name}:plain}` : `%{${name}}`;
}

/** Fills every placeholder of a page: numbers in the digits of its language, texts escaped for its format. */
export function fillPlaceholders(
  page: string,
  values: SiteValues,
  locale: Locale,
  escapeWords: (text: string) => string = escapeHtml,
): string {
  return page.replace(/%\{(\w+)(:plain)?\}/g, (match, name: SitePlaceholder, plain: string | undefined) => {
    const value = values[name];
    if (value === undefined) return match;
    if (typeof value === 'string') return escapeWords(value);
    return plain ? String(value) : formatNumber(value, locale);
  });
}

/** A tagline as the operator writes it: `|` is where the second line of a title begins. */
export function splitTagline(written: string): { whole: string; first: string; second: string } {
  const [first = '', ...rest] = written.split('|').map((part) => part.trim());
  const second = rest.join(' ');
  return { whole: second ? `${first} ${second}` : first, first, second };
}

/** For a placeholder inside a string of JSON. */
export function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

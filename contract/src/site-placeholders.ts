import type { Locale } from './locale.ts';
import { formatNumber } from './persian.ts';
import type { Claim, ClaimName } from './site-claims.ts';

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
  readonly claims: Readonly<Record<ClaimName, Claim>>;
  /** Whether simulated figures and invented quotes may stand on the pages, marked as such: never in production. */
  readonly demonstrations: boolean;
  /** US cents per GB (10⁹ bytes). */
  readonly usdCentsPerGb: number;
  readonly configsPerUser: number;
  /** `on` where screens may fall back to samples. */
  readonly sampleData: string;
}

export type SitePlaceholder = Exclude<keyof SiteValues, 'claims' | 'demonstrations'> | ClaimName;

/**
 * When a part of a page is shown: a claim has a value, its value is a sample, simulated figures may stand, or somebody new gets free
 * days: at all, or after signing in without a password.
 */
export type SiteCondition =
  | ClaimName
  | `sample-${ClaimName}`
  | 'demonstrations'
  | 'production'
  | 'trial'
  | 'no-trial'
  | 'passwordless-trial';

/** What stands before and after a part of a page that is shown on a condition. Parts may hold others. */
export function conditionMarks(condition: SiteCondition): readonly [before: string, after: string] {
  return [`%{if ${condition}}`, `%{end ${condition}}`];
}

/** A part of a text, shown on a condition. */
export function when(condition: SiteCondition, part: string): string {
  return conditionMarks(condition).join(part);
}

/** Stands for a value in a page; nothing for a claim without one. `plain` keeps Latin digits, for attributes that scripts read. */
export function placeholder(name: SitePlaceholder, form: 'written' | 'plain' = 'written'): string {
  return form === 'plain' ? `%{${name}:plain}` : `%{${name}}`;
}

/**
 * Fills every placeholder of a page: numbers in the digits of its language, texts escaped for its format. Parts whose
 * condition does not hold are left out.
 */
export function fillPlaceholders(
  page: string,
  values: SiteValues,
  locale: Locale,
  escapeWords: (text: string) => string = escapeHtml,
): string {
  return keepShown(page, values).replace(/%\{(\w+)(:plain)?\}/g, (match, name: string, plain: string | undefined) => {
    const value = writtenValue(values, name);
    if (value === undefined) return match;
    if (typeof value === 'string') return escapeWords(value);
    return plain ? String(value) : formatNumber(value, locale);
  });
}

function writtenValue(values: SiteValues, name: string): string | number | undefined {
  if (Object.hasOwn(values.claims, name)) return values.claims[name as ClaimName].value ?? '';
  const value = (values as unknown as Record<string, unknown>)[name];
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

function keepShown(page: string, values: SiteValues): string {
  return page.replace(/%\{if ([\w-]+)\}([\s\S]*?)%\{end \1\}/g, (_, condition: SiteCondition, part: string) =>
    holds(condition, values) ? keepShown(part, values) : '',
  );
}

function holds(condition: SiteCondition, values: SiteValues): boolean {
  const { claims, demonstrations } = values;
  const isTrial = values.passwordDays > 0 || values.passwordlessDays > 0;
  if (condition === 'demonstrations') return demonstrations;
  if (condition === 'production') return !demonstrations;
  if (condition === 'trial') return isTrial;
  if (condition === 'no-trial') return !isTrial;
  if (condition === 'passwordless-trial') return values.passwordlessDays > 0;
  if (condition.startsWith('sample-')) return claims[condition.slice('sample-'.length) as ClaimName].isSample;
  return claims[condition as ClaimName].value !== null;
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

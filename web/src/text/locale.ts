import type { Locale } from '@raha/contract/locale.ts';
import { getLocale } from './generated/runtime.js';

/** One language per page load; changing it reloads the page. */
export function currentLocale(): Locale {
  return getLocale() as Locale;
}

export function textDirection(): 'rtl' | 'ltr' {
  return currentLocale() === 'fa' ? 'rtl' : 'ltr';
}

import type { Locale } from '@raha/contract/locale.ts';
import { currentLocale } from '../../text/locale.ts';

/** Where the static pages lead inside the application. */
export const accountPaths = { signIn: '/auth/passwordless', activation: '/user/subscriptions' };

/** Every static page has one path; English lives below `/en`. */
export const sitePaths = [
  '/',
  '/downloads',
  '/pricing',
  '/features',
  '/guides',
  '/faq',
  '/support',
  '/contact',
  '/blog',
  '/privacy',
  '/terms',
] as const;
export type SitePath = (typeof sitePaths)[number];

/** The address of a static page in the language of the page being rendered; it may carry a `#part`. */
export function href(path: SitePath | `${SitePath}#${string}`): string {
  return inLanguage(path, currentLocale());
}

export function inLanguage(path: string, locale: Locale): string {
  if (locale === 'fa') return path;
  return path === '/' ? '/en' : `/en${path.replace(/^\/#/, '#')}`;
}

import { currentLocale } from '../text/locale.ts';

/** One language per load of the page; the cookie is that of the site. */
export function changeLanguage(): void {
  const other = currentLocale() === 'fa' ? 'en' : 'fa';
  // biome-ignore lint/suspicious/noDocumentCookie: the store of cookies is not in every browser
  document.cookie = `locale=${other}; path=/; max-age=31536000; samesite=lax`;
  location.reload();
}

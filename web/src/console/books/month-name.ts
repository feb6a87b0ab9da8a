import type { BookMonth } from '@raha/contract/admin/books.ts';
import { foldDigits, foldLetters } from '@raha/contract/persian.ts';
import { currentLocale } from '../../text/locale.ts';

type Month = Pick<BookMonth, 'month' | 'from'>;

/** «آذر ۱۴۰۵», in English `Azar 1405`: a month of the books, which its key names by number (`1405-09`). */
export function monthName({ from }: Month): string {
  const locale = currentLocale() === 'fa' ? 'fa-IR' : 'en-u-ca-persian';
  const format = new Intl.DateTimeFormat(locale, { timeZone: 'Asia/Tehran', month: 'long', year: 'numeric' });
  const parts = format.formatToParts(new Date(`${from}T12:00:00+03:30`));
  // In English the platform adds the era.
  return ['month', 'year'].map((type) => parts.find((part) => part.type === type)?.value).join(' ');
}

/** What somebody typed who was asked for it, on any keyboard; the key is right as well, as on the command line. */
export function isNameOf(month: Month, typed: string): boolean {
  const fold = (name: string) => foldDigits(foldLetters(name)).trim().replace(/\s+/g, ' ').toLowerCase();
  return [monthName(month), month.month].some((name) => fold(name) === fold(typed.normalize('NFC')));
}

import type { Locale } from '@raha/contract/locale.ts';
import type { StatementDay } from '@raha/contract/public/statement.ts';

const texts = {
  fa: {
    header: [
      'تاریخ',
      'نوع',
      'شرح',
      'حجم (بایت)',
      'قیمت هر گیگابایت (تومان)',
      'برداشت (تومان)',
      'واریز (تومان)',
      'شناسهٔ سطر',
    ],
    usage: 'مصرف',
    plan: 'مصرف از پلن',
    trial: 'مصرف رایگان',
    movement: 'گردش کیف پول',
  },
  en: {
    header: ['Date', 'Kind', 'Description', 'Bytes', 'Price per GB (toman)', 'Out (toman)', 'In (toman)', 'Line'],
    usage: 'Usage',
    plan: 'Usage from plan',
    trial: 'Free usage',
    movement: 'Wallet movement',
  },
} as const;

/**
 * The statement as CSV (RFC 4180) with a byte order mark, by which Excel recognises UTF-8. Numbers and dates have Latin
 * digits, so that a spreadsheet can compute with them; dates are Jalali in Persian. User input cannot become a formula
 * (OWASP, CSV injection). Numbers have no sign: money out and money in have separate columns.
 */
export function statementCsv(days: readonly StatementDay[], locale: Locale): string {
  const text = texts[locale];
  const rows: (string | number)[][] = [[...text.header]];
  for (const { day, configs, movements } of days) {
    const at = numericDate(day, locale);
    for (const movement of movements) {
      const [out, into] = movement.amount < 0 ? [-movement.amount, ''] : ['', movement.amount];
      rows.push([at, text.movement, movement.description, '', '', out, into, movement.id]);
    }
    for (const config of configs) {
      for (const part of config.parts) {
        const kind = part.covered_by === 'wallet' ? text.usage : text[part.covered_by];
        rows.push([
          at,
          kind,
          config.name,
          part.bytes,
          part.price_per_gb ?? '',
          part.amount,
          '',
          config.transaction_id ?? '',
        ]);
      }
    }
  }
  return `\ufeff${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** Characters that begin a formula in a spreadsheet, with their full-width forms and the characters it skips before them. */
const FORMULA = /^[\s\p{Cf}]*[=+\-@|%＝＋－＠\t\r]/u;

export function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const calendars = {
  fa: new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
    timeZone: 'UTC',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }),
  en: new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone: 'UTC',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }),
};

/** `1405/08/30` in Persian, `2026-11-21` in English. */
export function numericDate(day: string, locale: Locale): string {
  const parts = calendars[locale].formatToParts(new Date(`${day}T00:00:00Z`));
  const of = (type: 'year' | 'month' | 'day') => parts.find((part) => part.type === type)?.value ?? '';
  return [of('year'), of('month'), of('day')].join(locale === 'fa' ? '/' : '-');
}

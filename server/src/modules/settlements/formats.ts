import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { foldDigits, foldLetters } from '@raha/contract/persian.ts';
import type { Unit } from './rules.ts';

/**
 * The columns of settlement files, by the words of their heads. No gateway publishes the format of its file: the words are
 * our reading of each panel and interface (docs/settlement-files.md), and every file may use any of them.
 */
export type Column = 'reference' | 'session' | 'amount' | 'fee' | 'net' | 'payout' | 'date' | 'type' | 'currency';

export interface Format {
  /** What amounts are in when neither a head nor a column says it: the unit of the gateway's own interface. */
  readonly unit: Unit;
  readonly words: Readonly<Record<Column, readonly string[]>>;
}

const shared = {
  amount: ['amount', 'gross', 'gross amount', 'مبلغ', 'مبلغ تراکنش', 'مبلغ پرداخت', 'مبلغ کل'],
  fee: ['fee', 'wage', 'commission', 'کارمزد', 'مبلغ کارمزد', 'کارمزد تراکنش'],
  net: ['net', 'net amount', 'settled amount', 'خالص', 'مبلغ خالص', 'مبلغ تسویه', 'مبلغ قابل تسویه', 'مبلغ واریزی'],
  payout: [
    ...['payout', 'payout id', 'settlement', 'settlement id', 'settlement track id', 'reconciliation id', 'batch'],
    ...['شناسه تسویه', 'شماره تسویه', 'کد تسویه', 'شناسه واریز', 'شماره واریز', 'کد رهگیری تسویه'],
  ],
  date: [
    ...['date', 'created at', 'paid at', 'payment date', 'transaction date'],
    ...['تاریخ', 'تاریخ تراکنش', 'تاریخ پرداخت', 'زمان', 'زمان تراکنش', 'زمان پرداخت'],
  ],
  type: ['type', 'kind', 'transaction type', 'نوع', 'نوع تراکنش'],
  currency: ['currency', 'unit', 'واحد', 'واحد پول', 'ارز'],
} as const;

export const formats: Readonly<Record<GatewayName, Format>> = {
  zarinpal: {
    unit: 'rial',
    words: {
      ...shared,
      reference: ['ref id', 'reference id', 'reference', 'شماره ارجاع', 'شماره مرجع', 'کد پیگیری', 'شماره پیگیری'],
      session: ['authority', 'اتوریتی', 'شناسه پرداخت'],
    },
  },
  idpay: {
    unit: 'rial',
    words: {
      ...shared,
      reference: ['track id', 'tracking code', 'کد رهگیری', 'شماره پیگیری', 'کد پیگیری'],
      session: ['id', 'payment id', 'شناسه تراکنش', 'شناسه پرداخت'],
    },
  },
  nextpay: {
    unit: 'toman',
    words: {
      ...shared,
      reference: ['shaparak ref id', 'ref id', 'شماره ارجاع', 'شماره ارجاع شاپرک', 'کد پیگیری', 'شماره پیگیری'],
      session: ['trans id', 'transaction id', 'شناسه تراکنش', 'شماره تراکنش'],
    },
  },
};

const UNITS: readonly (readonly [RegExp, Unit])[] = [
  [/(^|[^a-z])(rials?|irr)([^a-z]|$)|ریال/, 'rial'],
  [/(^|[^a-z])(tomans?|irt)([^a-z]|$)|تومان|تومن/, 'toman'],
];

export function unitIn(text: string): Unit | undefined {
  const clean = foldLetters(text).toLowerCase();
  return UNITS.find(([pattern]) => pattern.test(clean))?.[1];
}

/** Which column a head names: its words without unit, brackets and separators. */
export function columnOf(head: string, { words }: Format): Column | undefined {
  const clean = foldDigits(foldLetters(head))
    .toLowerCase()
    .replace(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, ' ')
    .replace(/rials?|irr|tomans?|irt|ریال|تومان|تومن|به(?=\s*[)\]]?$)/g, ' ')
    .replace(/[()[\]_:/.-]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const squeezed = clean.replaceAll(' ', '');
  return (Object.keys(words) as Column[]).find((column) =>
    words[column].some((word) => word.replaceAll(' ', '') === squeezed),
  );
}

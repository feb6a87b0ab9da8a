import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import { gatewayTitles, paymentGateways } from '@raha/contract/payment-gateways.ts';
import type { InvoiceRecord } from '@raha/contract/public/invoices.ts';
import { daysOfMonth } from '../ledger/jalali-month.ts';
import { type DocumentKind, isCredit, numberOf } from './rules.ts';
import type { DocumentRow } from './tables.ts';

export const kindTitles: Readonly<Record<DocumentKind, Readonly<Record<Locale, string>>>> = {
  receipt: { fa: 'رسید پرداخت', en: 'Receipt' },
  refund: { fa: 'رسید بازگردانی وجه', en: 'Refund receipt' },
  reversal: { fa: 'سند برگشت پرداخت', en: 'Reversal note' },
  plan: { fa: 'فاکتور پلن', en: 'Plan invoice' },
  plan_credit: { fa: 'فاکتور برگشت از پلن', en: 'Plan credit note' },
  usage: { fa: 'فاکتور مصرف', en: 'Usage invoice' },
};

/** A document as the panel lists it; amounts are negative where something goes back to the buyer. */
export function describeDocument(document: DocumentRow, locale: Locale): InvoiceRecord {
  const { id, kind, sourceId, corrects, issuedAt, amountToman, vatToman, vatPercent } = document;
  const sign = isCredit(kind) ? -1 : 1;
  return {
    id,
    number: numberOf(document),
    type: kind,
    title: kindTitles[kind][locale],
    description: aboutDocument(document, locale),
    amount: sign * toWire(amountToman),
    vat: vatToman === 0n ? 0 : sign * toWire(vatToman),
    vat_percent: vatPercent,
    corrects: corrects && numberOf(corrects),
    // The receipt of a payment says more than its document knows: card, bank and reference.
    file_url: kind === 'receipt' ? `/api/v1/payments/${sourceId}/receipt` : `/api/v1/invoices/${id}/file`,
    issued_at: issuedAt.toISOString(),
  };
}

/** What a document is about, in a few words. */
export function aboutDocument({ kind, subject }: Pick<DocumentRow, 'kind' | 'subject'>, locale: Locale): string {
  if ('month' in subject && subject.month !== undefined)
    return locale === 'fa'
      ? `مصرف ${monthName(subject.month, locale)}`
      : `Usage in ${monthName(subject.month, locale)}`;
  if ('nameFa' in subject && subject.nameFa !== undefined) {
    const name = locale === 'fa' ? subject.nameFa : subject.nameEn;
    if (kind === 'plan_credit') return locale === 'fa' ? `پایان زودتر پلن ${name}` : `Early end of plan ${name}`;
    return locale === 'fa' ? `پلن ${name}` : `Plan ${name}`;
  }
  const gateway = paymentGateways.find((one) => 'gateway' in subject && one === subject.gateway);
  const title = gateway ? gatewayTitles[gateway][locale] : '';
  if (kind === 'receipt') return locale === 'fa' ? `شارژ کیف پول با ${title}` : `Wallet charge by ${title}`;
  if (kind === 'reversal') return locale === 'fa' ? `بازپس‌گیری به دست ${title}` : `Taken back by ${title}`;
  return locale === 'fa' ? `بازگشت وجه با ${title}` : `Money returned by ${title}`;
}

const months = {
  fa: new Intl.DateTimeFormat('fa-IR-u-ca-persian', { year: 'numeric', month: 'long', timeZone: 'UTC' }),
  en: new Intl.DateTimeFormat('en-u-ca-persian', { year: 'numeric', month: 'long', timeZone: 'UTC' }),
} as const;

/** آبان ۱۴۰۵, Aban 1405. */
function monthName(month: string, locale: Locale): string {
  const day = daysOfMonth(month)?.from;
  if (day === undefined) return month;
  const parts = months[locale].formatToParts(Date.parse(day));
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return `${of('month')} ${of('year')}`;
}

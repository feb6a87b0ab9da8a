import { formatDate, formatNumber, formatTime } from '@raha/contract/persian.ts';
import type { PaymentRecord } from '@raha/contract/public/payments.ts';
import type { Executor } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import { drawDocument, type Row } from '../invoices/draw-document.ts';
import { findDocument } from '../invoices/issue-document.ts';
import { numberOf } from '../invoices/rules.ts';
import type { Seller } from '../invoices/settings.ts';
import { brandName, supportEmail } from '../site/settings.ts';
import type { Gateway } from './gateway.ts';
import { selectPayment } from './tables.ts';

interface Deps {
  readonly db: Executor;
  readonly gateways: ReadonlyMap<string, Gateway>;
}

/** The receipt of a successful payment as a one-page PDF: Persian, right to left, Jalali date, amount in words. */
export async function renderReceipt(
  deps: Deps,
  payment: PaymentRecord,
  payer: { name: string; email: string },
): Promise<Buffer> {
  const [brand, support, row, document] = await Promise.all([
    getSetting(deps.db, brandName),
    getSetting(deps.db, supportEmail),
    selectPayment(deps.db, payment.id),
    findDocument(deps.db, 'receipt', payment.id),
  ]);
  const paidAt = row?.settled_at ?? new Date(payment.created_at);
  const test = payment.gateway !== null && deps.gateways.get(payment.gateway)?.test === true;
  // Every credited payment has its number; without it the id says which payment it is.
  const number = document ? numberOf(document) : payment.id;
  const seller = document?.seller ?? null;
  const more = { number, seller, brand, support, cardMask: row?.card_mask ?? undefined, paidAt, test };
  return await drawReceipt(more, payment, payer);
}

export interface ReceiptFacts {
  readonly number: string;
  readonly seller: Seller | null;
  readonly brand: string;
  readonly support: string;
  readonly cardMask: string | undefined;
  readonly paidAt: Date;
  readonly test: boolean;
}

export async function drawReceipt(
  facts: ReceiptFacts,
  payment: Pick<PaymentRecord, 'amount' | 'paymentMethod' | 'reference_id' | 'refund'>,
  payer: { name: string; email: string },
): Promise<Buffer> {
  const { number, seller, brand, support, cardMask, paidAt, test } = facts;
  const rows: Row[] = [
    ['شمارهٔ رسید', number, 'ltr'],
    ['تاریخ پرداخت', `${formatDate(paidAt)}، ساعت ${formatTime(paidAt)}`, 'rtl'],
    ['پرداخت‌کننده', payer.name, 'rtl'],
    ['ایمیل', payer.email, 'ltr'],
    ['شرح', 'شارژ کیف پول', 'rtl'],
    ['درگاه', payment.paymentMethod.title, 'rtl'],
    ['شمارهٔ پیگیری بانک', payment.reference_id ?? '—', 'ltr'],
  ];
  if (cardMask) rows.push(['کارت', cardMask, 'ltr']);
  if (payment.refund && payment.refund.status !== 'failed')
    rows.push(['بازگردانی وجه', `${formatNumber(payment.refund.amount)} تومان`, 'rtl']);
  return await drawDocument({
    title: 'رسید پرداخت',
    brand,
    support,
    at: paidAt,
    amountToman: BigInt(payment.amount),
    warning: test ? 'آزمایشی؛ پولی جابه‌جا نشده است' : undefined,
    seller,
    rows,
  });
}

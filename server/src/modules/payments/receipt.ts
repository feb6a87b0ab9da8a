import { formatDate, formatNumber, formatTime } from '@raha/contract/persian.ts';
import { toPersianWords } from '@raha/contract/persian-words.ts';
import type { PaymentRecord } from '@raha/contract/public/payments.ts';
import type { Executor } from '../../platform/database.ts';
import { drawPdf, type Sheet } from '../../platform/pdf/persian-pdf.ts';
import { getSetting } from '../../platform/settings.ts';
import { brandName, supportEmail } from '../site/settings.ts';
import type { Gateway } from './gateway.ts';
import { selectPayment } from './tables.ts';

interface Deps {
  readonly db: Executor;
  readonly gateways: ReadonlyMap<string, Gateway>;
}

/** A5, in points. */
const PAGE = { width: 419.53, height: 595.28 };
const MARGIN = 36;
const ink = { text: '#1d2436', quiet: '#5b6274', line: '#e3ddd0', brand: '#1b3a8a', soft: '#f6f1e6', warn: '#7a4b00' };

/** The receipt of a successful payment as a one-page PDF: Persian, right to left, Jalali date, amount in words. */
export async function renderReceipt(
  deps: Deps,
  payment: PaymentRecord,
  payer: { name: string; email: string },
): Promise<Buffer> {
  const [brand, support, row] = await Promise.all([
    getSetting(deps.db, brandName),
    getSetting(deps.db, supportEmail),
    selectPayment(deps.db, payment.id),
  ]);
  const paidAt = row?.settled_at ?? new Date(payment.created_at);
  const test = payment.gateway !== null && deps.gateways.get(payment.gateway)?.test === true;
  return await drawReceipt({ brand, support, cardMask: row?.card_mask ?? undefined, paidAt, test }, payment, payer);
}

export async function drawReceipt(
  more: { brand: string; support: string; cardMask: string | undefined; paidAt: Date; test: boolean },
  payment: Pick<PaymentRecord, 'id' | 'amount' | 'paymentMethod' | 'reference_id' | 'refund'>,
  payer: { name: string; email: string },
): Promise<Buffer> {
  const { brand, support, cardMask, paidAt, test } = more;
  const rows: [string, string, 'rtl' | 'ltr'][] = [
    ['شمارهٔ رسید', payment.id, 'ltr'],
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
  return await drawPdf({ ...PAGE, title: `رسید پرداخت ${brand}`, createdAt: paidAt }, (sheet) => {
    drawHead(sheet, brand, test);
    drawAmount(sheet, payment.amount);
    const end = drawRows(sheet, rows);
    drawFoot(sheet, end, support);
  });
}

function drawHead(sheet: Sheet, brand: string, test: boolean): void {
  const right = sheet.width - MARGIN;
  sheet.box({ x: 0, y: 0, width: sheet.width, height: 8, radius: 0 }, ink.brand);
  sheet.line(brand, { x: right, y: 28 }, { size: 22, bold: true, color: ink.brand });
  sheet.line('رسید پرداخت', { x: MARGIN, y: 34 }, { size: 15, bold: true, align: 'left' });
  if (test)
    sheet.line('آزمایشی؛ پولی جابه‌جا نشده است', { x: MARGIN, y: 58 }, { size: 9, color: ink.warn, align: 'left' });
}

function drawAmount(sheet: Sheet, amount: number): void {
  const middle = sheet.width / 2;
  sheet.box({ x: MARGIN, y: 84, width: sheet.width - 2 * MARGIN, height: 92, radius: 14 }, ink.soft);
  sheet.line(`${formatNumber(amount)} تومان`, { x: middle, y: 96 }, { size: 24, bold: true, align: 'center' });
  const words = `${toPersianWords(amount)} تومان`;
  sheet.line(words, { x: middle, y: 142 }, { size: words.length > 60 ? 9 : 11, color: ink.quiet, align: 'center' });
}

function drawRows(sheet: Sheet, rows: readonly [string, string, 'rtl' | 'ltr'][]): number {
  const right = sheet.width - MARGIN;
  let y = 196;
  for (const [label, value, direction] of rows) {
    sheet.line(label, { x: right, y }, { size: 10, color: ink.quiet });
    const size = value.length > 34 ? 9 : 11;
    sheet.line(value, { x: MARGIN, y }, { size, align: 'left', direction, color: ink.text });
    sheet.rule({ x: MARGIN, y: y + 25 }, right, ink.line);
    y += 33;
  }
  return y;
}

function drawFoot(sheet: Sheet, y: number, support: string): void {
  const right = sheet.width - MARGIN;
  const text = 'این رسید را سامانه به‌صورت خودکار ساخته است و به مهر و امضا نیاز ندارد. همهٔ زمان‌ها به وقت تهران است.';
  const style = { size: 9, color: ink.quiet } as const;
  const took = sheet.paragraph(text, { x: right, y: y + 8, width: right - MARGIN }, style);
  sheet.line(`پشتیبانی: ${support}`, { x: right, y: y + 8 + took }, style);
}

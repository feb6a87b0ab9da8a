import { formatNumber } from '@raha/contract/persian.ts';
import { toPersianWords } from '@raha/contract/persian-words.ts';
import { drawPdf, type Sheet } from '../../platform/pdf/persian-pdf.ts';
import type { Seller } from './settings.ts';

/** A5, in points. */
const PAGE = { width: 419.53, height: 595.28 };
const MARGIN = 36;
const ROW = 29;
const ink = { text: '#1d2436', quiet: '#5b6274', line: '#e3ddd0', brand: '#1b3a8a', soft: '#f6f1e6', warn: '#7a4b00' };

export type Row = readonly [label: string, value: string, direction: 'rtl' | 'ltr'];

export interface Page {
  readonly title: string;
  readonly brand: string;
  readonly support: string;
  readonly at: Date;
  readonly amountToman: bigint;
  /** What stands under the title, small. */
  readonly warning?: string | undefined;
  readonly seller: Seller | null;
  readonly rows: readonly Row[];
}

/** One page in Persian, right to left: seller, amount in figures and words, and what there is to know. */
export async function drawDocument(page: Page): Promise<Buffer> {
  const { title, brand, at } = page;
  return await drawPdf({ ...PAGE, title: `${title} ${brand}`, createdAt: at }, (sheet) => {
    drawHead(sheet, page);
    const below = drawSeller(sheet, page.seller, 66);
    const rows = drawAmount(sheet, page.amountToman, below);
    drawFoot(sheet, drawRows(sheet, page.rows, rows), page.support);
  });
}

function drawHead(sheet: Sheet, { brand, title, warning }: Page): void {
  const right = sheet.width - MARGIN;
  sheet.box({ x: 0, y: 0, width: sheet.width, height: 8, radius: 0 }, ink.brand);
  sheet.line(brand, { x: right, y: 24 }, { size: 22, bold: true, color: ink.brand });
  sheet.line(title, { x: MARGIN, y: 28 }, { size: 15, bold: true, align: 'left' });
  if (warning) sheet.line(warning, { x: MARGIN, y: 51 }, { size: 9, color: ink.warn, align: 'left' });
}

/** Who sells, in as many lines as it takes; nothing while the operator has not said it. */
function drawSeller(sheet: Sheet, seller: Seller | null, y: number): number {
  if (!seller) return y + 14;
  const right = sheet.width - MARGIN;
  const facts = (
    [
      ['شناسهٔ ملی', seller.nationalId],
      ['کد اقتصادی', seller.economicCode],
      ['شمارهٔ ثبت', seller.registrationNumber],
      ['کد پستی', seller.postalCode],
      ['تلفن', seller.phone],
    ] as const
  ).flatMap(([label, value]) => (value === undefined ? [] : [unbroken(label, value)]));
  sheet.line(`فروشنده: ${seller.name}`, { x: right, y }, { size: 10, bold: true });
  let end = y + 18;
  const style = { size: 8.5, color: ink.quiet } as const;
  for (const text of [facts.join('، '), seller.address ?? ''].filter((line) => line !== ''))
    end += sheet.paragraph(text, { x: right, y: end, width: right - MARGIN }, style);
  return end + 10;
}

/** A label and its number, which stay on one line, the number in its own order: 021-12345678 is written from left to right. */
function unbroken(label: string, value: string): string {
  return `${label}: \u2066${value}\u2069`.replaceAll(' ', '\u00a0');
}

function drawAmount(sheet: Sheet, amountToman: bigint, y: number): number {
  const middle = sheet.width / 2;
  const height = 78;
  sheet.box({ x: MARGIN, y, width: sheet.width - 2 * MARGIN, height, radius: 14 }, ink.soft);
  const amount = Number(amountToman);
  sheet.line(`${formatNumber(amount)} تومان`, { x: middle, y: y + 8 }, { size: 22, bold: true, align: 'center' });
  const words = `${toPersianWords(amount)} تومان`;
  sheet.line(words, { x: middle, y: y + 49 }, { size: words.length > 60 ? 9 : 11, color: ink.quiet, align: 'center' });
  return y + height + 14;
}

function drawRows(sheet: Sheet, rows: readonly Row[], from: number): number {
  const right = sheet.width - MARGIN;
  let y = from;
  for (const [label, value, direction] of rows) {
    sheet.line(label, { x: right, y }, { size: 10, color: ink.quiet });
    const size = value.length > 34 ? 9 : 11;
    sheet.line(value, { x: MARGIN, y }, { size, align: 'left', direction, color: ink.text });
    sheet.rule({ x: MARGIN, y: y + 22 }, right, ink.line);
    y += ROW;
  }
  return y;
}

function drawFoot(sheet: Sheet, y: number, support: string): void {
  const right = sheet.width - MARGIN;
  const text = 'این سند را سامانه به‌صورت خودکار ساخته است و به مهر و امضا نیاز ندارد. همهٔ زمان‌ها به وقت تهران است.';
  const style = { size: 9, color: ink.quiet } as const;
  const took = sheet.paragraph(text, { x: right, y: y + 4, width: right - MARGIN }, style);
  sheet.line(`پشتیبانی: ${support}`, { x: right, y: y + 4 + took }, style);
}

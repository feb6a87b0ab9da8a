import { formatDate, formatNumber, formatTime } from '@raha/contract/persian.ts';
import type { Executor } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import { brandName, supportEmail } from '../site/settings.ts';
import { aboutDocument, kindTitles } from './describe-document.ts';
import { drawDocument, type Row } from './draw-document.ts';
import { numberOf } from './rules.ts';
import type { DocumentRow } from './tables.ts';

/** A document as a one-page PDF in Persian. The buyer is who asks for it: no document keeps a name. */
export async function renderDocument(
  db: Executor,
  document: DocumentRow,
  buyer: { readonly name: string; readonly email: string },
): Promise<Buffer> {
  const { kind, amountToman, vatToman, vatPercent, corrects, seller, issuedAt: at } = document;
  const toman = (amount: bigint) => `${formatNumber(Number(amount))} تومان`;
  const rows: Row[] = [
    ['شماره', numberOf(document), 'ltr'],
    ['تاریخ', `${formatDate(at)}، ساعت ${formatTime(at)}`, 'rtl'],
    ['خریدار', buyer.name, 'rtl'],
    ['ایمیل', buyer.email, 'ltr'],
    ['شرح', aboutDocument(document, 'fa'), 'rtl'],
  ];
  if (corrects) rows.push(['مربوط به سند', numberOf(corrects), 'ltr']);
  if (vatToman > 0n) {
    rows.push(['مبلغ بدون مالیات', toman(amountToman - vatToman), 'rtl']);
    rows.push([`مالیات بر ارزش افزوده (${formatNumber(vatPercent)} درصد)`, toman(vatToman), 'rtl']);
  }
  const [brand, support] = await Promise.all([getSetting(db, brandName), getSetting(db, supportEmail)]);
  return await drawDocument({ title: kindTitles[kind].fa, brand, support, at, amountToman, seller, rows });
}

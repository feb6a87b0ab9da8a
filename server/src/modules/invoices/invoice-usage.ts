import { addSeconds, type Clock, tehranDay } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { getSetting } from '../../platform/settings.ts';
import { daysOfMonth, type MonthDays, monthOf, nextMonth } from '../ledger/jalali-month.ts';
import { firstDays } from '../ledger/months.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { sumUsage } from '../ledger/usage-sums.ts';
import { yearOf } from './document-year.ts';
import { vatMovements } from './issue-document.ts';
import { vatOf } from './rules.ts';
import { sellerIdentity, vatPercent } from './settings.ts';
import {
  insertDocuments,
  insertInvoicedMonth,
  type NewDocument,
  selectLastInvoicedMonth,
  sumInvoicedUsage,
} from './tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
}

/** A day counts as over ten minutes after its midnight, when what was booked on it has been committed. */
const LATE_SECONDS = 600;
/** So that a clock that was wrong by centuries does not keep a worker for hours. */
const MOST_MONTHS = 40;

/**
 * Writes the invoices of the usage of every month that is over: one per user and month, whatever worker does it. Returns how
 * many months were invoiced.
 */
export async function invoiceUsage(deps: Deps): Promise<number> {
  const now = deps.clock.now();
  const today = tehranDay(addSeconds(now, -LATE_SECONDS));
  const { first } = await firstDays(deps.db);
  if (first === null) return 0;
  const last = await selectLastInvoicedMonth(deps.db);
  let month = last === undefined ? monthOf(first) : nextMonth(last);
  let count = 0;
  while (count < MOST_MONTHS) {
    const days = daysOfMonth(month);
    if (!days || days.to >= today) break;
    await inTransaction(deps.db, (tx) => invoiceMonth(tx, month, days, now));
    count += 1;
    month = nextMonth(month);
  }
  return count;
}

async function invoiceMonth(tx: Tx, month: string, days: MonthDays, now: Date): Promise<void> {
  const percent = await getSetting(tx, vatPercent);
  const documents = (await uninvoiced(tx, month, days)).map(
    ({ userId, toman }): NewDocument => ({
      id: newId(now),
      kind: 'usage',
      sourceId: `${month} ${userId}`,
      userId,
      amountToman: toman,
      vatPercent: percent,
      vatToman: vatOf(toman, percent),
      corrects: null,
      subject: { month },
    }),
  );
  const vat = documents.reduce((sum, { vatToman }) => sum + vatToman, 0n);
  if (!(await insertInvoicedMonth(tx, month, vat, now))) return;
  if (vat > 0n) {
    // In the books of the month itself, or of the open one when that is closed.
    const cause = { kind: 'vat', sourceType: 'invoiced_month', sourceId: month, purpose: 'vat' } as const;
    await postTransfer(tx, { ...cause, movements: vatMovements(vat), day: days.to }, now);
  }
  if (documents.length === 0) return;
  await insertDocuments(tx, yearOf(now), documents, { seller: await getSetting(tx, sellerIdentity), now });
}

/**
 * What usage cost until the end of a month and stands in no invoice yet. Usage that is booked late on a day of an invoiced
 * month is in the next invoice. Closed months do not change, so one looks back no further than to the first open one.
 */
async function uninvoiced(tx: Tx, month: string, days: MonthDays): Promise<{ userId: string; toman: bigint }[]> {
  const { open } = await firstDays(tx);
  const from = open !== null && open < days.from ? open : days.from;
  const invoiced = await sumInvoicedUsage(tx, from === days.from ? month : monthOf(from));
  const charged = await sumUsage(tx, { from, to: days.to });
  return charged
    .map(({ userId, toman }) => ({ userId, toman: toman - (invoiced.get(userId) ?? 0n) }))
    .filter(({ toman }) => toman > 0n);
}

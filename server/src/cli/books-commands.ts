import { open } from 'node:fs/promises';
import { closeMonth, listMonths, readMonth } from '../modules/books/close-month.ts';
import { reportMonth } from '../modules/books/month-report.ts';
import { exportJournal } from '../modules/ledger/export-journal.ts';
import { actor, type Commands, type Context, type Result, text } from './context.ts';

/** The books by Jalali month. Amounts are toman. */
export const booksCommands: Commands = {
  'report month': { usage: '--jalali 1405-08', flags: ['jalali'], run: report },
  'books list': { usage: '', run: list },
  'books close': { usage: '--jalali 1405-08 --by <name>', flags: ['jalali', 'by'], run: close },
  'books journal': {
    usage: '--jalali 1405-08 --out 1405-08.journal   (hledger, after the opening balances)',
    flags: ['jalali', 'out'],
    run: journal,
  },
};

async function report({ db, flags }: Context): Promise<Result> {
  const month = await reportMonth(db, text(flags, 'jalali'));
  const rows: (string | bigint)[][] = [
    ...month.figures.map(({ section, what, toman }) => [section, what, toman]),
    ...month.late.map(({ day, transfers, toman }) => ['late', `${transfers} transfers of ${day}`, toman]),
    ...month.closing.map(({ account, toman }) => ['at the end', account, toman]),
    ...month.debtors.map(({ account, toman }) => ['owes now', account, toman]),
    ...month.cardBuyers.map(({ batch, buyer, toman }) => ['owes now', `${buyer}, batch ${batch}`, toman]),
  ];
  const state = month.isClosed ? 'closed' : 'open';
  const title = `${month.month}, ${month.from} to ${month.to}, ${state}`;
  return {
    data: month,
    lines: [title, ...rows.map((row) => row.join('\t'))],
    table: { head: ['section', 'what', 'toman'], rows },
  };
}

async function list(context: Context): Promise<Result> {
  const months = await listMonths(context);
  const head = ['month', 'from', 'to', 'state', 'transfers', 'closed_at', 'by'];
  const rows = months.map(({ month, from, to, closed }) =>
    closed
      ? [month, from, to, 'closed', closed.transfers, closed.closed_at.toISOString(), closed.operator]
      : [month, from, to, 'open', '', '', ''],
  );
  const lines = [head, ...rows].map((row) => row.join('\t'));
  return { data: { months }, lines: rows.length > 0 ? lines : ['Nothing is booked yet.'], table: { head, rows } };
}

async function close(context: Context): Promise<Result> {
  const month = text(context.flags, 'jalali');
  const isNew = await closeMonth(context, { actor, operator: text(context.flags, 'by'), month });
  const line = isNew ? `The month ${month} is closed.` : `The month ${month} was closed already.`;
  return { data: { month, isNew }, lines: [line] };
}

async function journal({ db, flags }: Context): Promise<Result> {
  const month = text(flags, 'jalali');
  const days = readMonth(month);
  const file = text(flags, 'out');
  const handle = await open(file, 'wx', 0o600);
  try {
    const transfers = await exportJournal(db, async (part) => void (await handle.write(part)), days);
    return {
      data: { file, month, transfers },
      lines: [`${transfers} transfers of ${month} are in ${file}, after the opening balances.`],
    };
  } finally {
    await handle.close();
  }
}

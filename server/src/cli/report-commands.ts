import { open } from 'node:fs/promises';
import { openExchangeRate } from '../app/exchange-rate.ts';
import { reportInvoices } from '../modules/invoices/report-invoices.ts';
import { exportJournal } from '../modules/ledger/export-journal.ts';
import {
  daysOf,
  reportClearing,
  reportLiability,
  reportNodes,
  reportPlans,
  reportRefunds,
  reportTakings,
  reportUsage,
} from '../modules/reports/reports.ts';
import { systemClock, tehranTime } from '../platform/clock.ts';
import { type Commands, type Context, day, type Result, text, UsageError } from './context.ts';

type Cell = string | number | bigint;

const byDay = { usage: '[--from 2026-11-01] [--to 2026-11-30]', flags: ['from', 'to'] };

/** Reports for the operator; all take `--csv` for a spreadsheet. Amounts are toman, days are Tehran's. */
export const reportCommands: Commands = {
  'report takings': {
    ...byDay,
    run: async (context: Context) => listed(await reportTakings(context.db, range(context))),
  },
  'report usage': { ...byDay, run: async (context: Context) => listed(await reportUsage(context.db, range(context))) },
  'report refunds': {
    ...byDay,
    run: async (context: Context) => listed(await reportRefunds(context.db, range(context))),
  },
  'report nodes': { ...byDay, run: nodes },
  'report plans': { usage: '', run: plans },
  'report clearing': { usage: '', run: clearing },
  'report invoices': {
    usage: '--jalali 1405-08',
    flags: ['jalali'],
    run: async ({ db, flags }: Context) => listed(await reportInvoices(db, text(flags, 'jalali'))),
  },
  'report liability': { usage: '', run: liability },
  'report hledger': { usage: '--out raha.journal', flags: ['out'], run: journal },
};

function range({ flags }: Context) {
  const given = (name: 'from' | 'to') => (flags[name] === undefined ? undefined : day(flags, name, '2026-11-20'));
  const days = daysOf({ from: given('from'), to: given('to') }, systemClock.now());
  if (days.from > days.to) throw new UsageError(`There is no day from ${days.from} to ${days.to}.`);
  return days;
}

async function nodes(context: Context): Promise<Result> {
  const { db, config } = context;
  const rows = await reportNodes(db, openExchangeRate(config, systemClock), range(context));
  return listed(rows.map((row) => ({ ...row, cost: row.cost ?? '', margin: row.margin ?? '' })));
}

async function plans({ db }: Context): Promise<Result> {
  const { until, lines: all } = await reportPlans(db, systemClock.now());
  const head = ['plan', 'version', 'from', 'price_toman', 'sold', 'running', 'cancelled', 'toman'];
  const rows: Cell[][] = all.map(({ plan, version, from, price, sold, running, cancelled, toman }) => {
    const since = from && (from.getTime() === 0 ? 'the beginning' : tehranTime(from));
    return [plan, version ?? 'none', since ?? '', price ?? '', sold, running, cancelled, toman];
  });
  const counted = `Counted until ${tehranTime(until)} in Tehran. What names no version was bought before versions were kept.`;
  return {
    data: { until: until.toISOString(), plans: all },
    lines: rows.length > 0 ? [...lines([head, ...rows]), counted] : ['No plan was sold yet.'],
    table: { head, rows },
  };
}

async function clearing({ db }: Context): Promise<Result> {
  const gateways = await reportClearing(db);
  const broken = gateways.some(({ difference }) => difference !== 0n);
  return { ...listed(gateways), exitCode: broken ? 1 : 0 };
}

async function liability({ db, config }: Context): Promise<Result> {
  const owed = await reportLiability(db, openExchangeRate(config, systemClock), systemClock.now());
  const { cards, usdCents, rate, toman } = owed.giftCards;
  const dollars = `${cards} cards, ${Number(usdCents) / 100} US dollars${rate === undefined ? '' : ` at ${rate}`}`;
  const owedToUs = owed.debts.reduce((sum, debt) => sum + debt.owed_toman, 0n);
  const rows: Cell[][] = [
    ['wallets', owed.wallets, 'free money of all people'],
    ['remainders', owed.remainders, 'of it left by erased accounts: writeoff remainders'],
    ['leases', owed.leases, 'reserved for running configs, or used and not booked yet'],
    ['refunds', owed.refundsUnderWay, 'left wallets, not arrived'],
    ['debts', -owedToUs, `owed to us by ${owed.debts.length} accounts after reversals: debts list`],
    ['gift cards', toman ?? '', dollars],
    ['VAT', owed.vat, 'of invoices less credit notes; paying it is not booked here'],
    ['sold cards', owed.soldCards, 'of them, what sold ones were paid for: report cards'],
    ['unearned plans', owed.unearnedPlans, 'paid for days of plans that are still to come'],
    ['plans', owed.plans, 'of it, what would come back if all were cancelled now'],
  ];
  return { data: owed, lines: lines(rows), table: { head: ['owed', 'toman', 'what'], rows } };
}

async function journal({ db, flags }: Context): Promise<Result> {
  const file = text(flags, 'out');
  const handle = await open(file, 'wx', 0o600);
  try {
    const transfers = await exportJournal(db, async (part) => void (await handle.write(part)));
    return {
      data: { file, transfers },
      lines: [`${transfers} transfers are in ${file}. Balances: hledger -f ${file} balance --flat`],
    };
  } finally {
    await handle.close();
  }
}

/** Rows of one shape, as lines and as a table. */
function listed(items: readonly object[]): Result {
  const head = Object.keys(items[0] ?? {});
  const rows = items.map((item) => Object.values(item) as Cell[]);
  return {
    data: items,
    lines: rows.length > 0 ? lines([head, ...rows]) : ['Nothing in this time.'],
    table: { head, rows },
  };
}

function lines(rows: readonly (readonly Cell[])[]): string[] {
  return rows.map((row) => row.join('\t'));
}

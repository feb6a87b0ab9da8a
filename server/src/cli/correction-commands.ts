import { openExchangeRate } from '../app/exchange-rate.ts';
import { withQueues } from '../app/open-queues.ts';
import { lockBalance } from '../modules/billing/lock-balance.ts';
import { readMonth } from '../modules/books/close-month.ts';
import { listDebtors } from '../modules/payments/pay-debts.ts';
import { adjustBalance, writeOffDebt, writeOffRemainders } from '../modules/wallet/correct-books.ts';
import { actor, type Commands, type Context, idOf, type Result, text, wholeNumber } from './context.ts';

const MOST = 1_000_000_000;

/**
 * Corrections of the books: each takes who does it and why, and both are kept. `--jalali` says of which month it is; if that
 * is closed, it is booked in the open one.
 */
export const correctionCommands: Commands = {
  'accounts adjust': {
    usage: '--email … --toman <number, negative takes away> --by <name> --reason <why> [--jalali 1405-08]',
    flags: ['email', 'toman', 'by', 'reason', 'jalali'],
    run: adjust,
  },
  'writeoff remainders': {
    usage:
      '--by <name> --reason <why> [--jalali 1405-08]   (what accounts left that are erased for accounts.remainderDays)',
    flags: ['by', 'reason', 'jalali'],
    run: remainders,
  },
  'debts list': { usage: '', run: debts },
  'writeoff debt': {
    usage: '--account <number> --by <name> --reason <why> [--jalali 1405-08]',
    flags: ['account', 'by', 'reason', 'jalali'],
    run: debt,
  },
};

const given = ({ flags }: Context) => ({
  actor,
  operator: text(flags, 'by'),
  reason: text(flags, 'reason'),
  day: flags.jalali === undefined ? undefined : readMonth(text(flags, 'jalali')).to,
});

async function adjust(context: Context): Promise<Result> {
  const email = text(context.flags, 'email').toLowerCase();
  const toman = wholeNumber(context.flags, 'toman', -MOST, MOST);
  const request = { ...given(context), email, amountToman: BigInt(toman) };
  const exchangeRate = openExchangeRate(context.config, context.clock);
  await withQueues(context, async (queues) => {
    const deps = { ...context, ...queues, exchangeRate };
    await adjustBalance({ ...deps, lockBalance: (tx, userId) => lockBalance(deps, tx, userId) }, request);
  });
  return { data: { email, toman }, lines: [`${toman} toman on the wallet of ${email}, who was told.`] };
}

async function remainders(context: Context): Promise<Result> {
  const request = given(context);
  const { accounts, toman } = await withQueues(context, (queues) =>
    writeOffRemainders({ ...context, ...queues }, request),
  );
  return { data: { accounts, toman }, lines: [`${toman} toman of ${accounts} erased accounts are written off.`] };
}

async function debts({ db }: Context): Promise<Result> {
  const rows = (await listDebtors(db)).map(({ user_id: account, owed_toman: toman, since }) => ({
    account,
    toman,
    since: since.toISOString().slice(0, 10),
  }));
  const lines = rows.map(({ account, toman, since }) => `${account}\t${toman} toman\tsince ${since}`);
  return { data: { debts: rows }, lines: lines.length > 0 ? lines : ['Nobody owes anything.'] };
}

async function debt(context: Context): Promise<Result> {
  const request = { ...given(context), userId: idOf(context.flags, 'account') };
  const toman = await withQueues(context, (queues) => writeOffDebt({ ...context, ...queues }, request));
  return { data: { ...request, toman }, lines: [`${toman} toman that ${request.userId} owed are written off.`] };
}

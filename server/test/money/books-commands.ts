import fc from 'fast-check';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { OperatorMistake } from '../../src/modules/accounts/operator-mistake.ts';
import { closeMonth } from '../../src/modules/books/close-month.ts';
import { breakExpiredCards } from '../../src/modules/gift-cards/break-cards.ts';
import { expireCards } from '../../src/modules/gift-cards/expire-cards.ts';
import { issueGiftCards } from '../../src/modules/gift-cards/issue-cards.ts';
import { redeemGiftCard } from '../../src/modules/gift-cards/redeem-card.ts';
import { sellBatch, settleSale } from '../../src/modules/gift-cards/sell-batch.ts';
import { voidCards } from '../../src/modules/gift-cards/void-cards.ts';
import { invoiceUsage } from '../../src/modules/invoices/invoice-usage.ts';
import { house } from '../../src/modules/ledger/house.ts';
import { confirmPayment } from '../../src/modules/payments/confirm-payment.ts';
import { reviewPayment } from '../../src/modules/payments/review-payment.ts';
import { deleteAccount } from '../../src/modules/profile/close-account.ts';
import { earnDays } from '../../src/modules/subscriptions/earn-days.ts';
import { adjustBalance, writeOffDebt, writeOffRemainders } from '../../src/modules/wallet/correct-books.ts';
import { actor, TEST_RATE } from '../world.ts';
import { adjust, charge, makeUser, payer, walletOf } from './bench.ts';
import { command, type MoneyCommand, type Real } from './commands.ts';
import { credit, type Model, type ModelUser } from './model.ts';
import { breakCard, breakExpired, closeNext, earnDaysUntil, isUsable, type ModelBatch } from './model-books.ts';

/**
 * The accountant's side in T-M1: cards sold, paid, redeemed, void and expired, days of plans, closed months, debts and erased
 * accounts that are written off. After each of these commands the accounts that only they move are what the model says.
 */
const DAY = 86_400_000;
const REMAINDER_DAYS = 180;
const given = { actor, operator: 'model', reason: 'model' };
const who = fc.nat({ max: 2 });
const index = fc.nat({ max: 50 });

function booksCommand(text: string, run: (model: Model, real: Real) => Promise<void>): MoneyCommand {
  return command(text, async (model, real) => {
    await run(model, real);
    await compareAccounts(model, real);
  });
}

const accountIds = {
  receivable: house.cardReceivable,
  liability: house.cardLiability,
  difference: house.cardRateDifference,
  breakage: house.cardBreakage,
  bank: house.bank,
  kept: house.planEnded,
} as const;

async function compareAccounts({ books, people }: Model, { world }: Real): Promise<void> {
  const { rows } = await sql<{ id: string; toman: bigint }>`
    SELECT account_id AS id, sum(amount)::bigint AS toman FROM ledger_entry
    WHERE account_id = ANY (${Object.values(accountIds)}::uuid[]) GROUP BY 1
  `.execute(world.deps.db);
  const found = new Map(rows.map(({ id, toman }) => [id, Number(toman)]));
  const ours = Object.entries(accountIds).map(([name, id]) => [name, found.get(id) ?? 0]);
  expect(Object.fromEntries(ours)).toEqual(books.accounts);
  const periods = people.flatMap((user) => user.periods);
  const unearned = await sql<{ id: string; toman: bigint }>`
    SELECT subscription_id AS id, toman FROM unearned_plan WHERE subscription_id = ANY (${periods.map(({ id }) => id)}::uuid[])
  `.execute(world.deps.db);
  expect(new Map(unearned.rows.map(({ id, toman }) => [id, Number(toman)]))).toEqual(
    new Map(periods.filter((period) => period.unearned > 0).map((period) => [period.id, period.unearned])),
  );
}

async function isDone(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof OperatorMistake) return false;
    throw error;
  }
}

const nowOf = (real: Real) => real.clock.now().getTime();
/** One of the newest few. */
const batchOf = ({ books }: Model, at: number): ModelBatch | undefined =>
  books.batches[books.batches.length - 1 - (at % Math.max(1, Math.min(3, books.batches.length)))];

const sellCards = fc
  .tuple(
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 1, max: 900_000 }),
    fc.option(fc.integer({ min: 1, max: 9 })),
  )
  .map(([count, price, days]) =>
    booksCommand(`sellCards(${count} at ${price}, ${days} days)`, async (model, { world, clock }) => {
      const expiresAt = days === null ? undefined : clock.now().getTime() + days * DAY;
      const order = { count, usdCents: 100, ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }) };
      const { batchId, codes } = await issueGiftCards(world.deps, order);
      const sale = { ...given, batchId, buyer: 'a shop', toman: BigInt(count * price) };
      const sold = await Promise.all([isDone(sellBatch(world.deps, sale)), isDone(sellBatch(world.deps, sale))]);
      expect(sold.filter(Boolean)).toHaveLength(1);
      const cards = codes.map((code) => ({ code, state: 'active' as const, isBroken: false, expiresAt }));
      model.books.batches.push({ id: batchId, price, owed: count * price, cards });
      model.books.accounts.receivable -= count * price;
      model.books.accounts.liability += count * price;
    }),
  );

const payCards = fc.tuple(index, fc.integer({ min: 1, max: 120 }), fc.boolean()).map(([which, percent, isPaid]) =>
  booksCommand(`payCards(${which}, ${percent} %, ${isPaid ? 'paid' : 'written off'})`, async (model, { world }) => {
    const batch = batchOf(model, which);
    if (!batch) return;
    const toman = Math.max(1, Math.floor((batch.owed * percent) / 100));
    const request = {
      ...given,
      batchId: batch.id,
      toman: BigInt(toman),
      kind: isPaid ? 'paid' : 'written_off',
    } as const;
    const done = await isDone(settleSale(world.deps, request));
    expect(done).toBe(toman <= batch.owed);
    if (!done) return;
    batch.owed -= toman;
    model.books.accounts.receivable += toman;
    if (isPaid) model.books.accounts.bank -= toman;
  }),
);

/** Twice at once, by one user; a card that cannot be redeemed is tried by a stranger, whose failures do not matter. */
const redeemSold = fc.tuple(index, index, who).map(([which, at, user]) =>
  booksCommand(`redeemSold(${which}, ${at}, ${user})`, async (model, real) => {
    const { world, people } = real;
    const batch = batchOf(model, which);
    const card = batch?.cards[at % batch.cards.length];
    if (!batch || !card) return;
    const usable = isUsable(card, nowOf(real));
    const userId = usable ? (people[user]?.id as string) : (await makeUser(world)).id;
    const outcomes = await Promise.allSettled(
      [1, 2].map(() => redeemGiftCard(world.deps, { userId, code: card.code })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(usable ? 1 : 0);
    if (!usable) return;
    card.state = 'redeemed';
    model.books.accounts.liability -= batch.price;
    model.books.accounts.difference += batch.price - TEST_RATE;
    credit(model.people[user] as ModelUser, TEST_RATE, TEST_RATE);
  }),
);

const voidBatch = index.map((which) =>
  booksCommand(`voidBatch(${which})`, async (model, { world }) => {
    const batch = batchOf(model, which);
    if (!batch) return;
    await voidCards(world.deps, { actor, which: { batchId: batch.id } });
    for (const card of batch.cards.filter(({ state }) => state === 'active')) {
      breakCard(model.books, batch, card, true);
      card.state = 'void';
    }
  }),
);

const expireBatch = fc.tuple(index, fc.integer({ min: -2, max: 5 })).map(([which, days]) =>
  booksCommand(`expireBatch(${which}, ${days} days)`, async (model, real) => {
    const batch = batchOf(model, which);
    if (!batch) return;
    const at = nowOf(real) + days * DAY;
    await expireCards(real.world.deps, { actor, batchId: batch.id, at: new Date(at) });
    for (const card of batch.cards.filter(({ state }) => state === 'active')) {
      card.expiresAt = at;
      if (at > nowOf(real)) breakCard(model.books, batch, card, false);
    }
  }),
);

const bookExpired = fc.constant(
  booksCommand('bookExpired', async (model, real) => {
    await breakExpiredCards(real.world.deps);
    breakExpired(model.books, nowOf(real));
  }),
);

const earnDay = fc.boolean().map((passes) =>
  booksCommand(`earnDay(${passes ? 'a day later' : 'now'})`, async (model, real) => {
    if (passes) real.clock.advance(DAY);
    await Promise.all([earnDays(real.world.deps), earnDays(real.world.deps)]);
    earnDaysUntil(model.books, model.people, nowOf(real));
  }),
);

/** The first open month: it is closed if it is over, once, and refused if not. */
const closeBooks = fc.constant(
  booksCommand('closeMonth', async (model, real) => {
    const { books } = model;
    const request = { actor, operator: 'model', month: books.openMonth };
    const closed = await Promise.all(
      [1, 2].map(() =>
        closeMonth(real.world.deps, request).catch((error: unknown) => {
          if (error instanceof OperatorMistake) return undefined;
          throw error;
        }),
      ),
    );
    if (closeNext(books, nowOf(real))) {
      expect(closed.toSorted()).toEqual([false, true]);
      earnDaysUntil(books, model.people, nowOf(real));
      breakExpired(books, nowOf(real));
    } else expect(closed).toEqual([undefined, undefined]);
  }),
);

/** The invoices of months that are over, by two workers: N1 to N8 and hledger prove them after the run. */
const invoiceMonths = fc.constant(
  booksCommand('invoiceUsage', async (_model, { world }) => {
    await Promise.all([invoiceUsage(world.deps), invoiceUsage(world.deps)]);
    expect(await invoiceUsage(world.deps)).toBe(0);
  }),
);

const giveUpDebt = who.map((at) =>
  booksCommand(`writeOffDebt(${at})`, async (model, { world, people }) => {
    const user = model.people[at] as ModelUser;
    const done = await isDone(writeOffDebt(world.deps, { ...given, userId: people[at]?.id as string }));
    expect(done).toBe(user.owed > 0);
    user.owed = 0;
  }),
);

/** A correction that belongs to an earlier day, whether its month is closed or not. */
const correctEarlier = fc
  .tuple(who, fc.integer({ min: 1, max: 50_000 }), fc.nat({ max: 70 }))
  .map(([at, amount, ago]) =>
    booksCommand(`correctEarlier(${at}, ${amount}, ${ago} days ago)`, async (model, real) => {
      const { email } = real.people[at] as { email: string };
      // Nothing was booked before the world began.
      const day = new Date(Math.max(model.books.begunAt, nowOf(real) - ago * DAY)).toISOString().slice(0, 10);
      await adjustBalance(real.world.deps, { ...given, email, amountToman: BigInt(amount), day });
      credit(model.people[at] as ModelUser, amount, amount);
      const { rows } = await sql<{ isRight: boolean }>`
      SELECT count(*) > 0 AS "isRight" FROM ledger_transfer
      WHERE source_type = 'correction' AND created_at = ${real.clock.now()}
        AND booked_on = greatest(${day}::date, (SELECT max(last_day) + 1 FROM book_month))
        AND fact_day IS NOT DISTINCT FROM nullif(${day}::date, booked_on)
    `.execute(real.world.deps.db);
      expect(rows).toEqual([{ isRight: true }]);
    }),
  );

/** An account is erased with what it holds, and a payment of it arrives late: nobody gets it, and the operator sends it back. */
const erase = fc.tuple(fc.nat({ max: 90_000 }), fc.constantFrom('before', 'after', 'not')).map(([left, paid]) =>
  booksCommand(`erase(${left}, paid ${paid})`, async (model, real) => {
    const { world } = real;
    const { id } = await makeUser(world);
    if (left > 0) await adjust(world, id, left);
    const payment = await charge(world, id, 'zarinpal', 50_000);
    if (paid === 'before') await payer(world, payment, 'PAID');
    await deleteAccount(world.deps, id);
    if (paid === 'after') await payer(world, payment, 'PAID');
    await confirmPayment(world.deps, payment);
    expect(await walletOf(world, id)).toBe(left);
    model.books.erased.push({ id, at: nowOf(real), left });
    if (paid === 'not') return;
    const verdict = { paymentId: payment, actor, operator: 'model', note: 'sent back', refId: 'model' } as const;
    expect(await reviewPayment(world.deps, { ...verdict, outcome: 'credited' })).toEqual({ kind: 'account-deleted' });
    expect(await reviewPayment(world.deps, { ...verdict, outcome: 'failed' })).toMatchObject({ kind: 'settled' });
    await sql`UPDATE test_bank_session SET state = 'REVERSED' WHERE order_id = ${payment}`.execute(world.deps.db);
  }),
);

const remainders = fc.constant(
  booksCommand('writeOffRemainders', async ({ books }, real) => {
    const due = books.erased.filter(({ at, left }) => left > 0 && at <= nowOf(real) - REMAINDER_DAYS * DAY);
    if (due.length === 0) return;
    const toman = due.reduce((sum, { left }) => sum + BigInt(left), 0n);
    expect(await writeOffRemainders(real.world.deps, given)).toEqual({ accounts: due.length, toman });
    for (const account of due) account.left = 0;
  }),
);

export const booksCommands: fc.Arbitrary<MoneyCommand>[] = [
  sellCards,
  redeemSold,
  redeemSold,
  payCards,
  voidBatch,
  expireBatch,
  bookExpired,
  earnDay,
  closeBooks,
  invoiceMonths,
  giveUpDebt,
  correctEarlier,
  erase,
  remainders,
];

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { checkLedger } from '../../src/app/check-ledger.ts';
import { closeMonth, listMonths } from '../../src/modules/books/close-month.ts';
import { reportMonth } from '../../src/modules/books/month-report.ts';
import { breakExpiredCards } from '../../src/modules/gift-cards/break-cards.ts';
import { issueGiftCards } from '../../src/modules/gift-cards/issue-cards.ts';
import { redeemGiftCard } from '../../src/modules/gift-cards/redeem-card.ts';
import { sellBatch, settleSale } from '../../src/modules/gift-cards/sell-batch.ts';
import type { ProofTime } from '../../src/modules/ledger/check-invariants.ts';
import { exportJournal } from '../../src/modules/ledger/export-journal.ts';
import { house } from '../../src/modules/ledger/house.ts';
import { daysOfMonth } from '../../src/modules/ledger/jalali-month.ts';
import { postTransfer } from '../../src/modules/ledger/post-transfer.ts';
import { confirmPayment } from '../../src/modules/payments/confirm-payment.ts';
import { requestRefund } from '../../src/modules/payments/request-refund.ts';
import { buyPlan, cancelPlan } from '../../src/modules/plan-sales/buy-plan.ts';
import { earnDays } from '../../src/modules/subscriptions/earn-days.ts';
import { adjustBalance } from '../../src/modules/wallet/correct-books.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { type Executor, inTransaction } from '../../src/platform/database.ts';
import { newId } from '../../src/platform/random.ts';
import { compareWithHledger, hasHledger } from '../hledger.ts';
import { charge, makeUser, payer } from '../money/bench.ts';
import { actor, openTestWorld, TEST_RATE, type TestWorld } from '../world.ts';

/** The books by Jalali month, and months that are closed (audit M13). */
const DAY = 86_400_000;
const given = { actor, operator: 'tests', reason: 'tests' };
// 1405-06-29, 13:30 in Tehran.
const clock = manualClock(new Date('2026-09-20T10:00:00Z'));
let world: TestWorld;
let user: { id: string; email: string };

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false });
  user = await makeUser(world);
  await liveThroughMonths();
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const close = (month: string) => closeMonth(world.deps, { actor, operator: 'tests', month });
const refused = (month: string) =>
  close(month).then(
    () => undefined,
    (error: Error) => error.message,
  );

async function pay(toman: number): Promise<string> {
  const id = await charge(world, user.id, 'zarinpal', toman);
  await payer(world, id, 'PAID');
  await confirmPayment(world.deps, id, { returned: 'ok' });
  return id;
}

async function buy(planId: string): Promise<string> {
  const order = { giftCode: undefined, seenRateToman: undefined, expectedDueToman: undefined, idempotent: undefined };
  return (await buyPlan(world.deps, { ...order, userId: user.id, order: { planId } })).periodId;
}

/** Money moves in 1405-06, -07 and -08; the schedules run as they do every day. */
async function liveThroughMonths(): Promise<void> {
  await setSettingByKey(world.deps.db, 'invoices.vatPercent', '10', clock.now());
  await pay(500_000);
  const plan = await buy('basic');
  await nextDays(5);
  const { batchId, codes } = await issueGiftCards(world.deps, {
    count: 4,
    usdCents: 100,
    expiresAt: new Date('2026-10-30T12:00:00Z'),
  });
  await sellBatch(world.deps, { ...given, batchId, buyer: 'a shop', toman: 300_000n });
  await settleSale(world.deps, { ...given, batchId, toman: 120_000n, kind: 'paid' });
  await redeemGiftCard(world.deps, { userId: user.id, code: codes[0] ?? '' });
  await nextDays(10);
  await cancelPlan(world.deps, { userId: user.id, periodId: plan, idempotent: undefined });
  await nextDays(20);
  const payment = await pay(100_000);
  await requestRefund(world.deps, { userId: user.id, paymentId: payment, amountToman: 30_000 });
  await adjustBalance(world.deps, { ...given, email: user.email, amountToman: 7_000n });
  await buy('premium');
  await nextDays(25);
}

async function nextDays(count: number): Promise<void> {
  for (let day = 0; day < count; day += 1) {
    clock.advance(DAY);
    await earnDays(world.deps);
    await breakExpiredCards(world.deps);
  }
}

/** A correction of our own accounts, with a day of the books or without. */
async function post(db: Executor, toman: bigint, day?: string): Promise<string> {
  const movements = [
    { accountId: house.adjustment, amountToman: toman },
    { accountId: house.writeOff, amountToman: -toman },
  ];
  const now = clock.now();
  const cause = { kind: 'adjustment', sourceType: 'test', sourceId: newId(now), purpose: 'post' } as const;
  return await postTransfer(db, { ...cause, movements, ...(day === undefined ? {} : { day }) }, now);
}

async function journalOf(days: Parameters<typeof exportJournal>[2]): Promise<string> {
  const parts: string[] = [];
  await exportJournal(world.deps.db, async (part) => void parts.push(part), days);
  return parts.join('');
}

async function bookedOn(id: string): Promise<{ booked: string; fact: string | null }> {
  const { rows } = await sql<{ booked: string; fact: string | null }>`
    SELECT booked_on::text AS booked, fact_day::text AS fact FROM ledger_transfer WHERE id = ${id}
  `.execute(world.deps.db);
  return rows[0] as { booked: string; fact: string | null };
}

const broken = async (time?: ProofTime) =>
  (await checkLedger(world.deps.db, time)).violations.map(({ invariant }) => invariant.split(' ')[0]);

const figuresOf = async (month: string) =>
  Object.fromEntries(
    (await reportMonth(world.deps.db, month)).figures
      .filter(({ toman }) => toman !== 0n)
      .map(({ section, what, toman }) => [`${section}: ${what}`, Number(toman)]),
  );

test('the figures of each month', async () => {
  const months = await listMonths(world.deps);
  expect(months.map(({ month, closed }) => [month, closed])).toEqual([
    ['1405-06', undefined],
    ['1405-07', undefined],
    ['1405-08', undefined],
  ]);
  const [shahrivar, mehr, aban] = await Promise.all(months.map(({ month }) => figuresOf(month)));
  const earned = (part: Record<string, number> | undefined) => part?.['plans: earned'] ?? 0;
  // 13:30 of 1405-06-29 until the end of 1405-06-31.
  const days = (2 * 24 + 10.5) / 24;
  expect(shahrivar).toEqual({
    'receipts: zarinpal': 500_000,
    'plans: sold': 99_000,
    'plans: earned': Math.floor((99_000 * days) / 30),
    'VAT: of invoices, less credit notes': 9_000,
  });
  expect(mehr).toMatchObject({
    'gift cards: sold': 300_000,
    'gift cards: paid by their buyers': 120_000,
    'gift cards: redeemed, as sold': 75_000,
    'gift cards: difference to the rate of the day': 75_000 - TEST_RATE,
    'plans: credited at an early end': Math.floor((99_000 * 15) / 30),
    'VAT: of invoices, less credit notes': -4_500,
  });
  expect(earned(shahrivar) + earned(mehr) + (mehr?.['plans: kept at an early end'] ?? 0)).toBe(99_000 - 49_500);
  expect(aban).toMatchObject({
    'receipts: zarinpal': 100_000,
    'refunds: taken from wallets': 30_000,
    'corrections: adjusted in favour of users': 7_000,
    'gift cards: breakage': 225_000,
    'plans: sold': 199_000,
  });
  const { cardBuyers, closing } = await reportMonth(world.deps.db, '1405-08');
  expect(cardBuyers).toMatchObject([{ buyer: 'a shop', toman: 180_000n }]);
  expect(closing.reduce((sum, { toman }) => sum + toman, 0n)).toBe(0n);
  expect(closing).toContainEqual({ account: 'refund:clearing', toman: 30_000n });
});

test('a month that is not over, that follows an open one, or that is none is not closed', async () => {
  expect(await refused('1405-08')).toBe('The month 1405-08 is not over: its last day is 2026-11-21.');
  expect(await refused('1405-07')).toBe('The month 1405-06 is still open: close it first.');
  expect(await refused('1405-05')).toBe('Nothing is booked until 2026-08-22.');
  expect(await refused('1405-13')).toBe('takes a Jalali month such as 1405-08.');
});

test('a month begins at midnight in Tehran', async () => {
  const present = clock.now().getTime();
  for (const [instant, day] of [
    ['2026-10-22T20:29:59.999Z', '2026-10-22'],
    ['2026-10-22T20:30:00Z', '2026-10-23'],
  ] as const) {
    clock.advance(Date.parse(instant) - clock.now().getTime());
    expect(await bookedOn(await post(world.deps.db, 1n))).toEqual({ booked: day, fact: null });
  }
  clock.advance(present - clock.now().getTime());
  expect(daysOfMonth('1405-08')?.from).toBe('2026-10-23');
});

test('closing twice, and at the same time, closes once and keeps the sums', async () => {
  const closed = await Promise.all([close('1405-06'), close('1405-06'), close('1405-06')]);
  expect(closed.filter(Boolean)).toHaveLength(1);
  expect(await close('1405-06')).toBe(false);
  const { rows } = await sql<{ account: string; moved: bigint }>`
    SELECT account, moved_toman AS moved FROM book_month_sum WHERE month = '1405-06' ORDER BY 1
  `.execute(world.deps.db);
  expect(rows).toContainEqual({ account: 'gateway:zarinpal:clearing', moved: -500_000n });
  expect((await listMonths(world.deps)).map(({ closed: month }) => month?.operator)).toEqual([
    'tests',
    undefined,
    undefined,
  ]);
  await world.proveLedger();
});

describe('a closed month does not change', () => {
  const open = '2026-09-23';

  test('what is late is booked in the open month, and says of which day it is', async () => {
    const before = await figuresOf('1405-06');
    expect(await bookedOn(await post(world.deps.db, 11n, '2026-09-01'))).toEqual({ booked: open, fact: '2026-09-01' });
    expect(await bookedOn(await post(world.deps.db, 12n, '2026-09-22'))).toEqual({ booked: open, fact: '2026-09-22' });
    expect(await bookedOn(await post(world.deps.db, 13n, open))).toEqual({ booked: open, fact: null });
    clock.advance(-70 * DAY);
    const early = await post(world.deps.db, 14n);
    clock.advance(70 * DAY);
    expect((await bookedOn(early)).booked).toBe(open);
    expect(await figuresOf('1405-06')).toEqual(before);
    expect((await reportMonth(world.deps.db, '1405-07')).late).toMatchObject([
      { day: '2026-09-01', transfers: 1n, toman: 11n },
      { day: '2026-09-10', transfers: 1n, toman: 14n },
      { day: '2026-09-22', transfers: 1n, toman: 12n },
    ]);
    expect(await journalOf(daysOfMonth('1405-07'))).toContain(' post of 2026-09-22\n');
  });

  test('a correction may say of which month it is', async () => {
    const correction = { ...given, email: user.email, amountToman: 3n, day: daysOfMonth('1405-06')?.to };
    await adjustBalance(world.deps, correction);
    const { late } = await reportMonth(world.deps.db, '1405-07');
    expect(late.at(-1)).toEqual({ day: '2026-09-22', transfers: 2n, toman: 15n });
  });

  test('the database refuses entries that are added to it, and changes of what it was closed with', async () => {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM ledger_transfer WHERE booked_on < ${open}::date LIMIT 1
    `.execute(world.deps.db);
    const add = sql`
      INSERT INTO ledger_entry (transfer_id, account_id, amount)
      VALUES (${rows[0]?.id}, ${house.giftIssued}, 1), (${rows[0]?.id}, ${house.usageRevenue}, -1)
    `.execute(world.deps.db);
    await expect(add).rejects.toThrow('is closed');
    for (const statement of [
      `UPDATE book_month_sum SET moved_toman = 0`,
      'DELETE FROM book_month_sum',
      'DELETE FROM book_month',
      `UPDATE book_month SET last_day = last_day - 1`,
      'TRUNCATE book_month_sum',
      'TRUNCATE book_month CASCADE',
    ])
      await expect(sql.raw(statement).execute(world.deps.db), statement).rejects.toThrow('append-only');
  });

  test('what an owner of the database does past the triggers is found', async () => {
    const forge = async (table: string, statement: string) => {
      await sql.raw(`ALTER TABLE ${table} DISABLE TRIGGER USER`).execute(world.deps.db);
      await sql.raw(statement).execute(world.deps.db);
      await sql.raw(`ALTER TABLE ${table} ENABLE TRIGGER USER`).execute(world.deps.db);
    };
    const move = (from: string, to: string) =>
      forge('ledger_transfer', `UPDATE ledger_transfer SET booked_on = '${to}' WHERE booked_on = '${from}'`);
    await move('2026-09-21', '2026-12-01');
    expect(await broken()).toContain('L34');
    expect(await broken({ since: new Date(0), month: '1405-06' })).toContain('L34');
    await move('2026-12-01', '2026-09-21');
    const sums = (by: number) =>
      forge(
        'book_month_sum',
        `UPDATE book_month_sum SET closing_toman = closing_toman + ${by} WHERE account = 'user_wallet'`,
      );
    await sums(1);
    expect(await broken()).toEqual(['L35']);
    await sums(-1);
    await move('2026-09-20', '2026-08-01');
    expect(await broken()).toEqual(expect.arrayContaining(['L34', 'L35']));
    await move('2026-08-01', '2026-09-20');
    expect(await broken()).toEqual([]);
  });
});

describe('closing against bookings at the same time', () => {
  const last = daysOfMonth('1405-07')?.to;

  test('waits for what is being booked in the month, while other months go on', async () => {
    let commit = () => {};
    let isPosted = () => {};
    const posted = new Promise<void>((resolve) => (isPosted = resolve));
    const slow = inTransaction(world.deps.db, async (tx) => {
      const id = await post(tx, 17n, last);
      isPosted();
      await new Promise<void>((resolve) => (commit = resolve));
      return id;
    });
    await posted;
    let isClosed = false;
    const closing = close('1405-07').then(() => (isClosed = true));
    await waitUntilBlocked();
    // Of the present month, and not held up.
    const present = await post(world.deps.db, 18n);
    const late = post(world.deps.db, 19n, last);
    expect(isClosed).toBe(false);
    commit();
    await closing;
    expect(await bookedOn(await slow)).toEqual({ booked: last, fact: null });
    expect((await bookedOn(present)).fact).toBeNull();
    expect(await bookedOn(await late)).toEqual({ booked: '2026-10-23', fact: last });
    await world.proveLedger();
  });

  /** Until a transaction waits for the days of a month. */
  async function waitUntilBlocked(): Promise<void> {
    for (;;) {
      const { rows } = await sql`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`.execute(
        world.deps.db,
      );
      if (rows.length > 0) return;
    }
  }

  test('bookings on all its days, while it is closed and after: each is in the sums or in the next month, none in both or in none', async () => {
    clock.advance(10 * DAY);
    const { from = '', to = '' } = daysOfMonth('1405-08') ?? {};
    const day = (at: number) => new Date(Date.parse(from) + (at % 30) * DAY).toISOString().slice(0, 10);
    let isClosed = false;
    const lanes = Array.from({ length: 8 }, async (_, lane) => {
      const ids: string[] = [];
      for (let at = 0, after = 0; after < 5; at += 1, after += isClosed ? 1 : 0)
        ids.push(await post(world.deps.db, BigInt(1 + lane), day(at * 7 + lane)));
      return ids;
    });
    const closed = await Promise.all([close('1405-08'), close('1405-08'), close('1405-08')]);
    isClosed = true;
    expect(closed.filter(Boolean)).toHaveLength(1);
    const bookings = await Promise.all((await Promise.all(lanes)).flat().map(bookedOn));
    expect(bookings.some(({ fact }) => fact === null)).toBe(true);
    for (const { booked, fact } of bookings)
      expect(booked <= to ? fact === null : booked === '2026-11-22' && fact !== null).toBe(true);
    expect(bookings.some(({ fact }) => fact !== null)).toBe(true);
    await world.proveLedger();
  });
});

test.skipIf(!hasHledger)(
  'hledger agrees month by month: each journal opens with what the one before ended with',
  async () => {
    await compareWithHledger(world);
  },
);

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkLedger } from '../../src/app/check-ledger.ts';
import { addDays } from '../../src/platform/clock.ts';
import { seedPayments } from '../seed-payments.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** What moved a wallet is kept as rows and running sums (decision 68): they say what the facts say, page by page. */
const PAYMENTS = 45;
const TOMAN = 20_000;
/** The card that activated the account. */
const CARD = 1;

let world: TestWorld;
let user: TestUser;
beforeAll(async () => {
  world = await openTestWorld();
  user = await world.user();
  const now = world.deps.clock.now();
  // Several on one day, over four months; two at the same instant.
  const wanted = Array.from({ length: PAYMENTS }, (_, index) => ({
    amountToman: BigInt(TOMAN),
    at: addDays(now, -Math.floor(index / 2) * 5 - 1),
  }));
  await seedPayments(world, user.id, 'zarinpal', wanted);
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const broken = async () =>
  (await checkLedger(world.deps.db)).violations.map(({ invariant }) => invariant.split(' ')[0]);

test('pages follow each other without a gap or a repetition, and their number is that of all lines', async () => {
  const pages = [];
  for (const page of [1, 2, 3, 4, 5, 6]) {
    pages.push((await user.api.listWalletTransactions({ query: { page, per_page: 10 } })).data);
  }
  const lines = pages.flatMap(({ transactions }) => transactions);
  expect(pages.map(({ transactions }) => transactions.length)).toEqual([10, 10, 10, 10, PAYMENTS + CARD - 40, 0]);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(PAYMENTS + CARD);
  expect(lines.map(({ created_at: at }) => at)).toEqual(
    lines
      .map(({ created_at: at }) => at)
      .sort()
      .reverse(),
  );
  expect(pages.map(({ pagination }) => pagination.total)).toEqual(pages.map(() => PAYMENTS + CARD));
});

test.each(['7d', '30d', '90d', 'all'] as const)('the sums of %s are those of its payments', async (period) => {
  const begin = period === 'all' ? 0 : addDays(world.deps.clock.now(), -Number(period.slice(0, -1))).getTime();
  const { payments } = (await user.api.listPayments({ query: { per_page: 100 } })).data;
  const inside = payments.filter(({ created_at: at, type }) => type === 'wallet_charge' && Date.parse(at) >= begin);
  const stats = (await user.api.getPaymentStats({ query: { period } })).data;
  expect(stats.successfulPayments).toBe(inside.length + CARD);
  const charges = (await user.api.getWalletStats({ query: { period } })).data.byType.filter(
    ({ type }) => type === 'wallet_charge',
  );
  expect(charges).toEqual([{ type: 'wallet_charge', amount: inside.length * TOMAN, count: inside.length }]);
});

test('filters of the list of payments count what they find', async () => {
  const of = async (query: Record<string, string | number>) => (await user.api.listPayments({ query })).data;
  expect((await of({ gateway: 'zarinpal', per_page: 5 })).pagination).toMatchObject({ total: PAYMENTS });
  expect((await of({ gateway: 'nextpay' })).pagination.total).toBe(0);
  expect((await of({ type: 'gift_card' })).payments).toHaveLength(CARD);
  expect((await of({ status: 'failed' })).payments).toEqual([]);
  const last = await of({ status: 'completed', per_page: 20, page: 3 });
  expect([last.payments.length, last.pagination.total]).toEqual([PAYMENTS + CARD - 40, PAYMENTS + CARD]);
});

test('a payment whose state changes moves from one sum to the other, and back money is a refunded payment', async () => {
  const { db } = world.deps;
  const [payment] = (await user.api.listPayments({ query: { gateway: 'zarinpal' } })).data.payments;
  const statusOf = async () =>
    (await sql<{ status: string }>`SELECT status FROM wallet_movement WHERE id = ${payment?.id}`.execute(db)).rows[0]
      ?.status;
  const set = (state: string) => sql`UPDATE payment SET state = ${state} WHERE id = ${payment?.id}`.execute(db);
  for (const [state, shown] of [
    ['needs_review', 'pending'],
    ['failed', 'failed'],
    ['completed', 'completed'],
  ] as const) {
    await set(state);
    expect(await statusOf()).toBe(shown);
    expect((await broken()).filter((name) => name === 'L40' || name === 'L41')).toEqual([]);
  }
});

describe.each([
  [
    'a movement with another amount',
    'UPDATE wallet_movement SET amount = amount + 1 WHERE id = $id',
    'UPDATE wallet_movement SET amount = amount - 1 WHERE id = $id',
    // The sums follow the row, so only the fact disagrees.
    ['L40'],
  ],
  [
    'a sum with another amount',
    `UPDATE wallet_sum SET deposits = deposits + 1 WHERE user_id = $user AND grain = 'month'`,
    `UPDATE wallet_sum SET deposits = deposits - 1 WHERE user_id = $user AND grain = 'month'`,
    ['L41'],
  ],
  [
    'a month without its days',
    `UPDATE wallet_sum SET days = ~days WHERE user_id = $user AND grain = 'month'`,
    `UPDATE wallet_sum SET days = ~days WHERE user_id = $user AND grain = 'month'`,
    ['L41'],
  ],
])('%s', (_what, forgery, undo, names) => {
  test('is found by the proof', async () => {
    const { id } = (await user.api.listPayments({ query: {} })).data.payments[0]!;
    const run = (statement: string) =>
      sql.raw(statement.replace('$id', `'${id}'`).replace('$user', `'${user.id}'`)).execute(world.deps.db);
    await run(forgery);
    expect(await broken()).toEqual(names);
    await run(undo);
    expect(await broken()).toEqual([]);
  });
});

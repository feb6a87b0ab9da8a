import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkLedger } from '../../src/app/check-ledger.ts';
import { breakExpiredCards } from '../../src/modules/gift-cards/break-cards.ts';
import { expireCards } from '../../src/modules/gift-cards/expire-cards.ts';
import { issueGiftCards } from '../../src/modules/gift-cards/issue-cards.ts';
import { redeemGiftCard } from '../../src/modules/gift-cards/redeem-card.ts';
import { listSales, sellBatch, settleSale } from '../../src/modules/gift-cards/sell-batch.ts';
import { voidCards } from '../../src/modules/gift-cards/void-cards.ts';
import { addDays, manualClock } from '../../src/platform/clock.ts';
import { selectBalances } from '../balances.ts';
import { makeUser } from '../money/bench.ts';
import { actor, openTestWorld, TEST_RATE, type TestWorld } from '../world.ts';

/** Cards are sold to shops, redeemed at the rate of the day, or end unredeemed (audit M13). */
const DAY = 86_400_000;
const clock = manualClock(new Date('2026-11-20T10:00:00Z'));
const given = { actor, operator: 'tests', reason: 'order 17' };
/** What a card of one dollar is worth here. */
const WORTH = TEST_RATE;
let world: TestWorld;
let user: { id: string };

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false });
});
beforeEach(async () => {
  user = await makeUser(world);
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const CODES = {
  'receivable:gift-cards': 'receivable',
  'liability:gift-cards': 'liability',
  'gift:rate-difference': 'difference',
  'revenue:gift-breakage': 'breakage',
  'gift:issued': 'issued',
  bank: 'bank',
  writeoff: 'writeoff',
} as const;

async function balances() {
  const found = new Map((await selectBalances(world.deps.db)).map(({ code, balance }) => [code, Number(balance)]));
  return Object.entries(CODES).map(([code, name]) => [name, found.get(code) ?? 0] as const);
}

/** How the accounts change by what is done; only those that do. */
async function changed(work: () => Promise<unknown>) {
  const before = new Map(await balances());
  await work();
  const after = (await balances()).map(([name, now]) => [name, now - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(after.filter(([, change]) => change !== 0));
}

const issue = (count: number, expiresAt?: Date) =>
  issueGiftCards(world.deps, { count, usdCents: 100, ...(expiresAt ? { expiresAt } : {}) });
const sell = (batchId: string, toman: number) =>
  sellBatch(world.deps, { ...given, batchId, buyer: 'a shop', toman: BigInt(toman) });
const settle = (batchId: string, toman: number, kind: 'paid' | 'written_off' = 'paid') =>
  settleSale(world.deps, { ...given, batchId, toman: BigInt(toman), kind });
const redeem = (code = '') => redeemGiftCard(world.deps, { userId: user.id, code });
const mistake = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: Error) => error.message,
  );

test('a sale is owed until it is paid, and owed to the holders until they redeem: the rate’s difference has its account', async () => {
  const { batchId, codes } = await issue(3);
  expect(await changed(() => sell(batchId, 250_000))).toEqual({ receivable: -250_000, liability: 250_000 });
  expect(await changed(() => settle(batchId, 200_000))).toEqual({ receivable: 200_000, bank: -200_000 });
  expect(await changed(() => settle(batchId, 50_000, 'written_off'))).toEqual({
    receivable: 50_000,
    writeoff: -50_000,
  });
  // Of three equal shares one is a toman more; which card gets it depends on their ids.
  const first = await changed(() => redeem(codes[0]));
  expect([83_333, 83_334]).toContain(-(first.liability ?? 0));
  expect(first).toEqual({ liability: first.liability, difference: -(first.liability ?? 0) - WORTH });
  await redeem(codes[1]);
  await redeem(codes[2]);
  expect((await listSales(world.deps.db)).at(-1)).toMatchObject({
    buyer: 'a shop',
    toman: 250_000n,
    paid: 200_000n,
    written_off: 50_000n,
    owed: 0n,
    cards: 3n,
    redeemed: 3n,
    redeemed_at_sale: 250_000n,
    redeemed_toman: BigInt(3 * WORTH),
    liability: 0n,
  });
  await world.proveLedger();
});

test('cards worth more than they were sold for are a loss; a batch without a sale stays an expense', async () => {
  const sold = await issue(1);
  await sell(sold.batchId, 10_000);
  expect(await changed(() => redeem(sold.codes[0]))).toEqual({ liability: -10_000, difference: 10_000 - WORTH });
  const unsold = await issue(1);
  expect(await changed(() => redeem(unsold.codes[0]))).toEqual({ issued: -WORTH });
});

test('only cards that can still be redeemed are sold: what was redeemed before stays an expense', async () => {
  const { batchId, codes } = await issue(4);
  await redeem(codes[0]);
  expect(await sell(batchId, 300_001)).toBe(3);
  await world.proveLedger();
});

describe('breakage', () => {
  test('a void card becomes revenue at once, and only once', async () => {
    const { batchId, codes } = await issue(3);
    await sell(batchId, 240_000);
    await redeem(codes[0]);
    const voided = () => voidCards(world.deps, { actor, which: { batchId } });
    expect(await changed(voided)).toEqual({ liability: -160_000, breakage: 160_000 });
    expect(await changed(voided)).toEqual({});
  });

  test('an expired card becomes revenue on the Tehran day of its end, whenever that is booked', async () => {
    const { batchId } = await issue(2, new Date('2026-11-22T20:29:59Z'));
    await sell(batchId, 160_001);
    clock.advance(5 * DAY);
    const both = () => Promise.all([breakExpiredCards(world.deps), breakExpiredCards(world.deps)]);
    expect(await changed(both)).toEqual({ liability: -160_001, breakage: 160_001 });
    const { rows } = await sql<{ day: string }>`
      SELECT booked_on::text AS day FROM ledger_transfer WHERE source_type = 'gift_card_breakage' ORDER BY id DESC LIMIT 1
    `.execute(world.deps.db);
    expect(rows).toEqual([{ day: '2026-11-22' }]);
    expect(await changed(() => voidCards(world.deps, { actor, which: { batchId } }))).toEqual({});
  });

  test('an expired card that gets a later end is owed again, and can be redeemed', async () => {
    const { batchId, codes } = await issue(2, addDays(clock.now(), 1));
    await sell(batchId, 160_000);
    clock.advance(2 * DAY);
    await breakExpiredCards(world.deps);
    const extend = () => expireCards(world.deps, { actor, batchId, at: addDays(clock.now(), 9) });
    expect(await changed(extend)).toEqual({ liability: 160_000, breakage: -160_000 });
    expect(await changed(() => redeem(codes[0]))).toEqual({ liability: -80_000 });
    await world.proveLedger();
  });

  test('a card that is booked as expired is not redeemed by a clock that was set back', async () => {
    const { batchId, codes } = await issue(1, addDays(clock.now(), 1));
    await sell(batchId, 80_000);
    clock.advance(2 * DAY);
    await breakExpiredCards(world.deps);
    clock.advance(-2 * DAY);
    await expect(redeem(codes[0])).rejects.toMatchObject({ code: 'gift_card_invalid' });
    clock.advance(2 * DAY);
    await world.proveLedger();
  });

  test('void, redeemed, expired and sold at once: each card has one outcome, and the books agree', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { batchId, codes } = await issue(4, addDays(clock.now(), 1));
      user = await makeUser(world);
      await Promise.allSettled([
        sell(batchId, 320_003),
        redeem(codes[0]),
        redeem(codes[1]),
        voidCards(world.deps, { actor, which: { batchId } }),
        expireCards(world.deps, { actor, batchId, at: clock.now() }),
        breakExpiredCards(world.deps),
        sell(batchId, 5),
      ]);
      await world.proveLedger();
    }
  });
});

test('what does not fit is refused in a sentence, and books nothing', async () => {
  const { batchId } = await issue(1);
  const unknown = randomUUID();
  const nothing = await changed(async () => {
    expect(await mistake(sell(unknown, 1))).toBe(`There is no batch ${unknown}.`);
    expect(await mistake(settle(batchId, 1))).toBe(`The batch ${batchId} was not sold.`);
  });
  expect(nothing).toEqual({});
  await sell(batchId, 100);
  expect(await mistake(sell(batchId, 100))).toBe(`The batch ${batchId} is sold already.`);
  expect(await mistake(settle(batchId, 101))).toBe(`For the batch ${batchId} 100 toman are owed.`);
  const paid = await Promise.allSettled([settle(batchId, 60), settle(batchId, 60)]);
  expect(paid.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const over = await issue(1);
  await voidCards(world.deps, { actor, which: { batchId: over.batchId } });
  expect(await mistake(sell(over.batchId, 100))).toBe(`No card of the batch ${over.batchId} can be redeemed any more.`);
});

describe('what breaks the books is found', () => {
  const broken = async () =>
    (await checkLedger(world.deps.db)).violations.map(({ invariant }) => invariant.split(' ')[0]);

  test.each([
    ['a card of another price', 'gift_card', 'sold_toman = sold_toman + $n', ['L30', 'L31']],
    ['a sale of another price', 'gift_card_sale', 'toman = toman + $n', ['L30', 'L31']],
    ['a payment of another amount', 'gift_card_payment', 'toman = toman + $n', ['L31', 'L32']],
  ])('%s', async (_what, table, change, names) => {
    const { batchId } = await issue(2);
    await sell(batchId, 100_001);
    await settle(batchId, 100_000);
    const run = (amount: number) =>
      sql
        .raw(`UPDATE ${table} SET ${change.replace('$n', String(amount))} WHERE batch_id = '${batchId}'`)
        .execute(world.deps.db);
    await run(1);
    expect(await broken()).toEqual(expect.arrayContaining(names));
    await run(-1);
    expect(await broken()).toEqual([]);
  });

  test('a card that is void and still owed, and one that is booked as over and is not', async () => {
    const { batchId } = await issue(1);
    await sell(batchId, 100_000);
    const set = (text: string) =>
      sql.raw(`UPDATE gift_card SET ${text} WHERE batch_id = '${batchId}'`).execute(world.deps.db);
    await set(`status = 'void', voided_at = now()`);
    expect(await broken()).toEqual(['L31', 'L33']);
    await set(`status = 'active', voided_at = NULL, broken_at = now()`);
    expect(await broken()).toEqual(['L31']);
    await set('broken_at = NULL');
    expect(await broken()).toEqual([]);
  });
});

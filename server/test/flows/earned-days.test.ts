import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkLedger } from '../../src/app/check-ledger.ts';
import { buyPlan, cancelPlan } from '../../src/modules/plan-sales/buy-plan.ts';
import { drawAllowances, returnAllowance } from '../../src/modules/subscriptions/allowance.ts';
import { earnDays } from '../../src/modules/subscriptions/earn-days.ts';
import { earnedOf } from '../../src/modules/subscriptions/rules.ts';
import { selectPeriod } from '../../src/modules/subscriptions/tables.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { inTransaction } from '../../src/platform/database.ts';
import { selectBalances } from '../balances.ts';
import { adjust, chance, makeUser } from '../money/bench.ts';
import { changePlan } from '../plans.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

/** What a plan costs becomes revenue day by day (audit M13). */
const DAY = 86_400_000;
const PRICE = 100_003;
// 13:30 in Tehran.
const clock = manualClock(new Date('2026-11-20T10:00:00Z'));
let world: TestWorld;
let user: { id: string; email: string };

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false });
});
beforeEach(async () => {
  await changePlan(world, 'basic', { priceToman: BigInt(PRICE), isOn: true });
  user = await makeUser(world);
  await adjust(world, user.id, 1_000_000);
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const order = { giftCode: undefined, seenRateToman: undefined, expectedDueToman: undefined, idempotent: undefined };
const buy = async (planId = 'basic') =>
  (await buyPlan(world.deps, { ...order, userId: user.id, order: { planId } })).periodId;
const renew = async (renewalOf: string) =>
  (await buyPlan(world.deps, { ...order, userId: user.id, order: { renewalOf } })).periodId;
const cancel = async (periodId: string) =>
  (await cancelPlan(world.deps, { userId: user.id, periodId, idempotent: undefined })).creditedToman;

async function balances() {
  const found = new Map((await selectBalances(world.deps.db)).map(({ code, balance }) => [code, Number(balance)]));
  const of = (code: string) => found.get(code) ?? 0;
  return { deferred: of('deferred:plan'), earned: of('revenue:plan'), kept: of('revenue:plan-ended') };
}

/** How the three accounts change by what is done. */
async function changed(work: () => Promise<unknown>) {
  const before = await balances();
  await work();
  const after = await balances();
  return {
    deferred: after.deferred - before.deferred,
    earned: after.earned - before.earned,
    kept: after.kept - before.kept,
  };
}

async function days(): Promise<{ day: string; toman: bigint; booked: string }[]> {
  const { rows } = await sql<{ day: string; toman: bigint; booked: string }>`
    SELECT t.source_id AS day, e.amount AS toman, t.booked_on::text AS booked FROM ledger_transfer t
    JOIN ledger_entry e ON e.transfer_id = t.id AND e.amount > 0 WHERE t.source_type = 'earned_day' ORDER BY t.source_id
  `.execute(world.deps.db);
  return rows;
}

async function unearned(id: string): Promise<number> {
  const { rows } = await sql<{ toman: bigint }>`
    SELECT toman FROM unearned_plan WHERE subscription_id = ${id}
  `.execute(world.deps.db);
  return Number(rows[0]?.toman ?? 0n);
}

async function nextDays(count: number): Promise<void> {
  for (let day = 0; day < count; day += 1) {
    clock.advance(DAY);
    await earnDays(world.deps);
  }
}

test('a plan is deferred when it is sold; each Tehran day moves its part, and the life of it moves the price to the toman', async () => {
  await earnDays(world.deps);
  const known = (await days()).length;
  expect(await changed(buy)).toEqual({ deferred: PRICE, earned: 0, kept: 0 });
  const life = await changed(() => nextDays(31));
  expect(life).toEqual({ deferred: -PRICE, earned: PRICE, kept: 0 });
  const booked = (await days()).slice(known);
  expect(booked).toHaveLength(31);
  expect(booked.every(({ day, booked }) => day === booked)).toBe(true);
  expect(booked[0]?.day).toBe('2026-11-20');
  // From 13:30 on, the days between, and until 13:30.
  expect(Number(booked[0]?.toman)).toBe(Math.floor((PRICE * 10.5) / 24 / 30));
  const whole = booked.slice(1, 30).map(({ toman }) => Number(toman));
  expect(Math.max(...whole) - Math.min(...whole)).toBeLessThanOrEqual(1);
  await world.proveLedger();
});

test('a day is earned once, however many workers book it; an outage is made up for day by day', async () => {
  await buy();
  clock.advance(6 * DAY);
  const before = (await days()).length;
  const once = await changed(() => Promise.all(Array.from({ length: 5 }, () => earnDays(world.deps))));
  expect((await days()).length - before).toBe(6);
  expect(once.earned).toBe(Math.floor((PRICE * (5 * 24 + 10.5)) / 24 / 30));
  expect(await changed(() => earnDays(world.deps))).toEqual({ deferred: 0, earned: 0, kept: 0 });
  expect((await days()).slice(-6).map(({ booked }) => booked)).toEqual((await days()).slice(-6).map(({ day }) => day));
  await world.proveLedger();
});

test('a day is booked ten minutes after its midnight, not before', async () => {
  await earnDays(world.deps);
  const midnight = Date.parse('2026-11-20T20:30:00Z');
  const toMidnight = DAY - ((clock.now().getTime() - midnight) % DAY);
  clock.advance(toMidnight + 599_000);
  expect(await earnDays(world.deps)).toBe(0);
  clock.advance(1_000);
  expect(await earnDays(world.deps)).toBe(1);
  clock.advance(DAY - 600_000 - toMidnight);
  await earnDays(world.deps);
});

describe('an early end', () => {
  test('cancelled at once: the refund is taken from what is deferred, and what is kept has its account', async () => {
    const id = await buy();
    let credited = 0;
    const end = await changed(async () => (credited = await cancel(id)));
    expect(credited).toBe(Math.floor((PRICE * 30) / 30));
    expect(end).toEqual({ deferred: -PRICE, earned: 0, kept: 0 });
  });

  test('cancelled within a day: earned is what time has earned, kept is the rest of the day begun', async () => {
    const id = await buy();
    await nextDays(3);
    clock.advance(DAY / 2);
    const left = await unearned(id);
    const byNow = Number(earnedOf(await selectPeriod(world.deps.db, id), clock.now()));
    let credited = 0;
    const end = await changed(async () => (credited = await cancel(id)));
    expect(credited).toBe(Math.floor((PRICE * 26) / 30));
    expect(end).toEqual({ deferred: -left, earned: byNow - (PRICE - left), kept: PRICE - byNow - credited });
    expect(end.kept).toBeGreaterThan(0);
    clock.advance(DAY / 2);
    await world.proveLedger();
  });

  test('used up: all of it is earned, and the next one begins to earn', async () => {
    const id = await buy();
    const next = await renew(id);
    await nextDays(2);
    const left = await unearned(id);
    const { trafficLimitBytes = 0n } = await selectPeriod(world.deps.db, id);
    const draw = new Map([[id, trafficLimitBytes]]);
    const end = await changed(() =>
      inTransaction(world.deps.db, (tx) => drawAllowances(tx, user.id, draw, clock.now())),
    );
    expect(end).toEqual({ deferred: -left, earned: left, kept: 0 });
    expect(await unearned(next)).toBe(PRICE);
    // The device gives its leases back, so that the invariants of metering hold.
    await inTransaction(world.deps.db, (tx) => returnAllowance(tx, id, trafficLimitBytes, clock.now()));
    await world.proveLedger();
    await nextDays(1);
    expect(await unearned(next)).toBeLessThan(PRICE);
    await world.proveLedger();
  });

  test('while the day is being booked: nothing is earned twice and nothing is lost', async () => {
    for (let round = 0; round < 8; round += 1) {
      user = await makeUser(world);
      await adjust(world, user.id, 1_000_000);
      const id = await buy();
      clock.advance(DAY);
      const both = await changed(() => Promise.all([earnDays(world.deps), cancel(id), earnDays(world.deps)]));
      expect(await unearned(id)).toBe(0);
      expect(both.deferred).toBeLessThanOrEqual(-PRICE);
      await world.proveLedger();
    }
  });
});

test('a clock that was set back takes nothing back and earns nothing twice; a refund above what is left has its account', async () => {
  const id = await buy();
  await nextDays(10);
  clock.advance(-5 * DAY);
  expect(await changed(() => earnDays(world.deps))).toEqual({ deferred: 0, earned: 0, kept: 0 });
  const other = await makeUser(world);
  await adjust(world, other.id, 1_000_000);
  await buyPlan(world.deps, { ...order, userId: other.id, order: { planId: 'premium' } });
  await world.proveLedger();
  const left = await unearned(id);
  let credited = 0;
  const end = await changed(async () => (credited = await cancel(id)));
  expect(credited).toBeGreaterThan(left);
  expect(end).toEqual({ deferred: -left, earned: 0, kept: left - credited });
  clock.advance(5 * DAY);
  await nextDays(1);
  await world.proveLedger();
});

test('whatever is bought when, each plan has left what the rule says, and every toman is earned at the end', async () => {
  const next = chance(20_261_124);
  const periods: string[] = [];
  for (let round = 0; round < 12; round += 1) {
    const price = 1 + Math.floor(next() * 900_000);
    await changePlan(world, 'odd', {
      priceToman: BigInt(price),
      durationDays: 1 + Math.floor(next() * 40),
      isOn: true,
    });
    user = await makeUser(world);
    await adjust(world, user.id, 2 * price);
    periods.push(await buy('odd'));
    clock.advance(Math.floor(next() * 3 * DAY));
    await earnDays(world.deps);
    const last = (await days()).at(-1)?.day;
    const until = new Date(Date.parse(`${last}T20:30:00Z`));
    for (const id of periods) {
      const period = await selectPeriod(world.deps.db, id);
      const isNew = period.createdAt > until;
      expect(await unearned(id)).toBe(Number(period.priceToman - (isNew ? 0n : earnedOf(period, until))));
    }
  }
  await nextDays(45);
  for (const id of periods) expect(await unearned(id)).toBe(0);
  await world.proveLedger();
});

describe('what breaks the books is found', () => {
  const broken = async () =>
    (await checkLedger(world.deps.db)).violations.map(({ invariant }) => invariant.split(' ')[0]);

  test.each([
    [
      'a toman unearned too much',
      'UPDATE unearned_plan SET toman = toman + 1',
      'UPDATE unearned_plan SET toman = toman - 1',
      'L27',
    ],
    [
      'a plan that has ended and earns',
      `UPDATE subscription SET ended_at = now(), end_reason = 'cancelled' WHERE id = $id`,
      'UPDATE subscription SET ended_at = NULL, end_reason = NULL WHERE id = $id',
      'L28',
    ],
    [
      'a plan that a day has forgotten',
      "UPDATE subscription SET starts_at = starts_at - interval '1 day' WHERE id = $id",
      "UPDATE subscription SET starts_at = starts_at + interval '1 day' WHERE id = $id",
      'L28',
    ],
    [
      'a day of another amount',
      'UPDATE earned_day SET toman = toman + 1',
      'UPDATE earned_day SET toman = toman - 1',
      'L29',
    ],
    [
      'a price that was changed',
      'UPDATE subscription SET price_toman = price_toman + 1 WHERE id = $id',
      'UPDATE subscription SET price_toman = price_toman - 1 WHERE id = $id',
      'L23',
    ],
  ])('%s', async (_what, forgery, undo, name) => {
    const id = await buy();
    await nextDays(2);
    expect(await broken()).toEqual([]);
    const run = (text: string) => sql.raw(text.replaceAll('$id', `'${id}'`)).execute(world.deps.db);
    await run(forgery);
    expect(await broken()).toContain(name);
    await run(undo);
    expect(await broken()).toEqual([]);
  });
});

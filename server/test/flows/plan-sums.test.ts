import { randomUUID } from 'node:crypto';
import type { adminEndpoints } from '@raha/contract/admin/table.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { output } from 'zod/mini';
import { buyPlan, cancelPlan } from '../../src/modules/plan-sales/buy-plan.ts';
import { listPeriods } from '../../src/modules/subscriptions/plans.ts';
import { setPlan } from '../../src/modules/subscriptions/set-plan.ts';
import { sumPlans } from '../../src/modules/subscriptions/sum-plans.ts';
import { addDays, manualClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/database.ts';
import { migrateSchema } from '../../src/platform/migrate.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { comparePlanSums } from '../plan-sums.ts';
import { type Colleague, openColleague, openStaffSession } from '../staff.ts';
import { actor, openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** What each version of a plan was sold, against a count of all subscriptions (decision 125). */
type Report = output<(typeof adminEndpoints)['getPlanReport']['response']>['data'];

const clock = manualClock(new Date('2026-11-26T08:00:00Z'));
let database: TestDatabase;
let world: TestWorld;
let finance: Colleague;

beforeAll(async () => {
  database = await createTestDatabase();
  world = await openTestWorld({ database, clock, restores: false });
  finance = await openColleague(world, 'finance');
});
afterAll(async () => {
  await world?.proveLedger();
  await world?.close();
});

const rich = () => world.user({ usdCents: 50_000 });
const buy = async (user: { readonly id: string }, order: Parameters<typeof buyPlan>[1]['order']) =>
  await buyPlan(world.deps, {
    ...{ userId: user.id, order, giftCode: undefined, seenRateToman: undefined },
    ...{ expectedDueToman: undefined, idempotent: undefined },
  });
const cancel = async (user: TestUser, periodId: string) =>
  await cancelPlan(world.deps, { userId: user.id, periodId, idempotent: undefined });
const price = async (id: string, priceToman: bigint) =>
  await setPlan(world.deps, { actor, id, change: { priceToman } });
async function read(): Promise<Report> {
  const cookie = await openStaffSession(world, finance.userId);
  const response = await fetch(`${world.origin}/api/v1/admin/reports/plans`, { headers: { cookie } });
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: Report }).data;
}
const newestOf = async (user: { readonly id: string }) =>
  (await listPeriods(world.deps.db, user.id, { number: 1, size: 1 })).periods[0]?.id ?? randomUUID();
/** Of the version that is sold now. */
const figuresOf = async (id: string) => {
  const { lines } = await read();
  const [newest] = lines.filter(({ plan, version }) => plan === id && version !== null);
  return newest && { sold: newest.sold, running: newest.running, cancelled: newest.cancelled, toman: newest.toman };
};

test('a sale, its renewal, its end and a cancellation, each from its moment on', async () => {
  const [first, second] = [await rich(), await rich()];
  await price('basic', 100_000n);
  const { periodId } = await buy(first, { planId: 'basic' });
  await buy(second, { planId: 'basic' });
  await buy(first, { renewalOf: periodId });
  expect(await read()).toEqual({ until: clock.now().toISOString(), lines: [] });
  await sumPlans(world.deps);
  expect(await figuresOf('basic')).toEqual({ sold: 3, running: 2, cancelled: 0, toman: 300_000 });
  clock.advance(1_000);
  const { creditedToman } = await cancel(second, await newestOf(second));
  expect(creditedToman).toBeGreaterThan(0);
  await sumPlans(world.deps);
  const brought = 300_000 - creditedToman;
  expect(await figuresOf('basic')).toEqual({ sold: 3, running: 1, cancelled: 1, toman: brought });
  // One follows the other at the same instant; after that none runs.
  clock.advance(30 * 86_400_000);
  await sumPlans(world.deps);
  expect(await figuresOf('basic')).toMatchObject({ sold: 3, running: 1 });
  clock.advance(30 * 86_400_000);
  await sumPlans(world.deps);
  expect(await figuresOf('basic')).toEqual({ sold: 3, running: 0, cancelled: 1, toman: brought });
  expect(await comparePlanSums(world.deps)).toEqual([]);
});

test('the versions of a plan apart, the newest first', async () => {
  await price('premium', 210_000n);
  await buy(await rich(), { planId: 'premium' });
  clock.advance(1_000);
  await price('premium', 220_000n);
  await buy(await rich(), { planId: 'premium' });
  await buy(await rich(), { planId: 'premium' });
  await sumPlans(world.deps);
  const { lines } = await read();
  expect(lines.filter(({ plan }) => plan === 'premium').map(({ price: toman, sold }) => [toman, sold])).toEqual([
    [220_000, 2],
    [210_000, 1],
  ]);
});

test('what is not added up yet is said: the answer names the moment until which it is counted', async () => {
  await sumPlans(world.deps);
  const before = await figuresOf('basic');
  const sale = clock.now();
  await buy(await rich(), { planId: 'basic' });
  clock.advance(60_000);
  expect((await read()).until).toBe(sale.toISOString());
  expect(await figuresOf('basic')).toEqual(before);
  await sumPlans(world.deps);
  expect((await read()).until).toBe(clock.now().toISOString());
  expect((await figuresOf('basic'))?.sold).toBe((before?.sold ?? 0) + 1);
});

test('a sale that is not committed holds up neither another sale nor the sums, and counts once it is', async () => {
  await price('business', 400_000n);
  const { rows } = await sql<{ id: string }>`SELECT version_id AS id FROM plan WHERE id = 'business'`.execute(
    world.deps.db,
  );
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO subscription (id, user_id, plan_id, version_id, kind, paid_with, name_fa, name_en, price_toman, duration_days, max_devices,
         starts_at, ends_at, created_at)
       SELECT uuidv7(), id, 'business', $1, 'purchase', 'wallet', 'x', 'x', 0, 30, 1, $2, $3, $2 FROM users WHERE role = 'user' LIMIT 1`,
      [rows[0]?.id, clock.now(), addDays(clock.now(), 30)],
    );
    await buy(await rich(), { planId: 'business' });
    await sumPlans(world.deps);
    expect((await figuresOf('business'))?.sold).toBe(1);
    await client.query('ROLLBACK');
  } finally {
    await client.end();
  }
  expect(await comparePlanSums(world.deps)).toEqual([]);
});

test('any history, several at once, with sums in between: as a count of all of them', async () => {
  const users = [await rich(), await rich(), await rich(), await rich()];
  const who = fc.nat({ max: users.length - 1 });
  const plan = fc.constantFrom('basic', 'premium', 'business');
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ act: fc.constant('buy' as const), who, plan }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('renew' as const, 'cancel' as const), who }) },
    {
      weight: 1,
      arbitrary: fc.record({ act: fc.constant('price' as const), plan, to: fc.integer({ min: 1, max: 9 }) }),
    },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('sum' as const) }) },
  );
  const turn = fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 4 }),
    hours: fc.constantFrom(0, 1, 24 * 12, 24 * 31),
  });
  type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
  const run = async (given: Step) => {
    if (given.act === 'sum') return await sumPlans(world.deps);
    if (given.act === 'price') return await price(given.plan, BigInt(given.to) * 1_000n);
    const user = users[given.who] as TestUser;
    if (given.act === 'buy') return await buy(user, { planId: given.plan });
    const id = await newestOf(user);
    return given.act === 'renew' ? await buy(user, { renewalOf: id }) : await cancel(user, id);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 4, maxLength: 8 }), async (turns) => {
      for (const { steps, hours } of turns) {
        const outcomes = await Promise.allSettled(steps.map(run));
        const broken = outcomes.filter((each) => each.status === 'rejected' && !(each.reason instanceof Refusal));
        expect(broken).toEqual([]);
        clock.advance(hours * 3_600_000);
        expect(await comparePlanSums(world.deps)).toEqual([]);
      }
    }),
    { numRuns: 12, endOnFailure: true },
  );
});

test('sold before: an older database is counted with what names no version, and what was cancelled there', async () => {
  const old = await createTestDatabase({ empty: true });
  const client = new pg.Client(old.url);
  const db = openDatabase(old.url, { max: 1 });
  try {
    await migrateSchema(old.url, { to: '0125_bulks' });
    await client.connect();
    await client.query(
      `INSERT INTO users (id, email, status, created_at) VALUES (uuidv7(), 'a@old.example', 'active', now())`,
    );
    const insert = async (days: number, more: string, version = 'NULL') =>
      await client.query(`
        INSERT INTO subscription (id, user_id, plan_id, version_id, kind, paid_with, name_fa, name_en, price_toman, duration_days, max_devices,
          starts_at, ends_at, created_at, ended_at, end_reason, credited_toman)
        SELECT uuidv7(), id, 'basic', ${version}, 'purchase', 'wallet', 'x', 'x', 1000, 30, 1, now() + interval '${days} days',
          now() + interval '${days + 30} days', now() + interval '${days} days', ${more} FROM users
      `);
    await insert(-40, 'NULL, NULL, 0');
    await insert(-20, 'NULL, NULL, 0');
    await insert(-20, `now() - interval '1 day', 'cancelled', 300`);
    await insert(-10, 'NULL, NULL, 0', `(SELECT version_id FROM plan WHERE id = 'basic')`);
    await migrateSchema(old.url);
    // Written after the trigger is there.
    await insert(0, 'NULL, NULL, 0', `(SELECT version_id FROM plan WHERE id = 'basic')`);
    const later = manualClock(addDays(new Date(), 1));
    expect(await comparePlanSums({ db, clock: later })).toEqual([]);
    const { rows } = await client.query(`
      SELECT version_id IS NULL AS nameless, sold::int, running::int, cancelled::int, (paid_toman - credited_toman)::int AS toman
      FROM plan_sum ORDER BY 1
    `);
    expect(rows).toEqual([
      { nameless: false, sold: 2, running: 2, cancelled: 0, toman: 2_000 },
      { nameless: true, sold: 3, running: 1, cancelled: 1, toman: 2_700 },
    ]);
    later.advance(60 * 86_400_000);
    expect(await comparePlanSums({ db, clock: later })).toEqual([]);
  } finally {
    await db.destroy();
    await client.end();
    await old.drop();
  }
});

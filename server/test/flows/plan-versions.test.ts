import { randomUUID } from 'node:crypto';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { StaffPlan } from '@raha/contract/admin/plans.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { buyPlan } from '../../src/modules/plan-sales/buy-plan.ts';
import { followVersions } from '../../src/modules/subscriptions/follow-versions.ts';
import { setPlan } from '../../src/modules/subscriptions/set-plan.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { changePlan } from '../plans.ts';
import { type Colleague, openColleague, openStaffSession } from '../staff.ts';
import { actor, eventually, openTestWorld, type TestWorld } from '../world.ts';

/** What plans cost and give, changed in the console: at once, and from a moment on (decision 125). Two processes of one installation. */
const clock = manualClock(new Date('2026-11-26T08:00:00Z'));
let database: TestDatabase;
let world: TestWorld;
let other: TestWorld;
let boss: Colleague;
let finance: Colleague;

beforeAll(async () => {
  database = await createTestDatabase();
  world = await openTestWorld({ database, clock, restores: false });
  const same = { ...database, drop: async () => undefined };
  const mailer = { send: async (mail: TestWorld['mails'][number]) => void world.mails.push(mail) };
  other = await openTestWorld({ database: same, clock, keepSettings: true, overrides: { mailer } });
  // What a second member decides: price-approvals.test.ts.
  await setSettingByKey(world.deps.db, 'approvals.pricesAlone', 'true', clock.now());
  boss = await openColleague(world, 'super_admin');
  finance = await openColleague(world, 'finance');
  await changePlan(world, 'basic', { priceToman: 100_000n, trafficLimitBytes: 50_000_000_000n, maxDevices: 2 });
});
afterAll(async () => {
  await other?.close();
  await world?.proveLedger();
  await world?.close();
});

const MINUTE = 60_000;
const inMinutes = (minutes: number) => new Date(clock.now().getTime() + minutes * MINUTE).toISOString();
const { planMinutes, cancelSeconds } = staffLimits.prices;

/** A call with a factor shown just now. */
async function call(member: Colleague, method: 'GET' | 'POST', path: string, body?: object) {
  const cookie = await openStaffSession(world, member.userId);
  const response = await fetch(`${world.origin}/api/v1/admin${path}`, {
    method,
    headers: { cookie, 'x-raha-console': '1', 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const json = (await response.json()) as { code?: string; data?: unknown };
  return { status: response.status, code: json.code, data: json.data };
}

async function planOf(id = 'basic'): Promise<StaffPlan> {
  const { plans } = (await call(boss, 'GET', '/plans')).data as { plans: StaffPlan[] };
  const plan = plans.find((known) => known.id === id);
  if (!plan) throw new Error(`no plan ${id}`);
  return plan;
}
type Order = Record<string, unknown> & { readonly member?: Colleague; readonly id?: string };
async function change({ member = boss, id = 'basic', ...rest }: Order) {
  const seen = 'seen' in rest ? rest.seen : (await planOf(id)).seen;
  return await call(member, 'POST', `/plans/${id}`, { reason: 'the servers cost more', ...rest, seen });
}
const cancel = async (id: string) => await call(boss, 'POST', `/plan-versions/${id}/cancel`, { reason: 'not yet' });
const plannedOf = async (id = 'basic') => (await planOf(id)).versions.find(({ state }) => state === 'planned');
/** What each process sells the plan for now. */
const asked = async (id = 'basic') => {
  const prices = await Promise.all(
    [world, other].map(async (process) => (await process.client().getPrices()).data.plans),
  );
  return prices.map((plans) => plans.find((plan) => plan.id === id)?.price);
};
const rich = () => world.user({ usdCents: 20_000 });
const buy = (user: { readonly id: string }, process = world, more: Partial<Parameters<typeof buyPlan>[1]> = {}) =>
  buyPlan(process.deps, {
    ...{ userId: user.id, order: { planId: 'basic' }, giftCode: undefined, seenRateToman: undefined },
    ...{ expectedDueToman: undefined, idempotent: undefined, ...more },
  });

test('a change at once is a version with who and why, and both processes sell by it', async () => {
  expect(await asked()).toEqual([100_000, 100_000]);
  const before = await planOf();
  clock.advance(1_000);
  const { status, data } = await change({ member: finance, price: 110_000, traffic_gb: 60, original_price: 150_000 });
  expect({ status, data }).toEqual({ status: 200, data: { outcome: 'done', from: clock.now().toISOString() } });
  expect(await asked()).toEqual([110_000, 110_000]);
  const after = await planOf();
  expect(after).toMatchObject({ price: 110_000, original_price: 150_000, traffic_bytes: 60e9, max_devices: 2 });
  expect(after.versions.map(({ state }) => state)).toEqual(['in_force', ...before.versions.map(() => 'over')]);
  expect(after.versions[0]).toMatchObject({ by: finance.email, reason: 'the servers cost more' });
  expect(after.versions.at(-1)).toMatchObject({ from: null, by: null });
  const [entry] = await listEntries(world.deps.db, { action: 'plans.set' }, 1);
  expect(entry).toMatchObject({ actor: finance.userId, target_id: 'basic', reason: 'the servers cost more' });
  expect(entry?.changed).toMatchObject({
    priceToman: [100_000, 110_000],
    trafficLimitBytes: [50e9, 60e9],
    originalPriceToman: [null, 150_000],
  });
});

test('only those who may, with a factor of the last minutes; what does not fit is refused', async () => {
  const { seen } = await planOf();
  for (const role of ['support', 'auditor'] as const)
    expect((await change({ seen, price: 9, member: await openColleague(world, role) })).status).toBe(403);
  const cookie = await openStaffSession(world, boss.userId, new Date(clock.now().getTime() - 6 * MINUTE));
  const late = await fetch(`${world.origin}/api/v1/admin/plans/basic`, {
    method: 'POST',
    headers: { cookie, 'x-raha-console': '1', 'content-type': 'application/json' },
    body: JSON.stringify({ price: 9, seen, reason: 'the servers cost more' }),
  });
  expect(late.status).toBe(401);
  for (const wrong of [
    { price: -1 },
    { max_devices: 0 },
    { duration_days: 0 },
    { traffic_gb: 0 },
    { name_fa: 'a|b' },
    { max_mbit: 0 },
  ])
    expect((await change({ seen, ...wrong })).status).toBe(422);
  expect(await change({ seen, original_price: 110_000 })).toMatchObject({ status: 409, code: 'plan_original_price' });
  expect(await change({ seen, price: 110_000 })).toMatchObject({ status: 409, code: 'plan_unchanged' });
  expect((await planOf()).seen).toBe(seen);
});

test('at the instant itself the planned version is sold, a millisecond before the one of before; periods keep theirs', async () => {
  const [early, late] = [await rich(), await rich()];
  await change({ price: 120_000, duration_days: 31, max_devices: 3, from: inMinutes(10) });
  expect(await plannedOf()).toMatchObject({ price: 120_000, duration_days: 31, max_devices: 3 });
  clock.advance(10 * MINUTE - 1);
  expect(await asked()).toEqual([110_000, 110_000]);
  await buy(early, other);
  clock.advance(1);
  expect(await asked()).toEqual([120_000, 120_000]);
  await buy(late, other);
  const bought = await sql<Record<string, unknown>>`
    SELECT s.price_toman::int AS price, s.duration_days AS days, s.max_devices AS devices, v.valid_from = s.created_at AS begins
    FROM subscription s JOIN plan_version v ON v.id = s.version_id WHERE user_id IN (${early.id}, ${late.id}) ORDER BY 1
  `.execute(world.deps.db);
  expect(bought.rows).toEqual([
    { price: 110_000, days: 30, devices: 2, begins: false },
    { price: 120_000, days: 31, devices: 3, begins: true },
  ]);
  const mine = (await early.api.listSubscriptions()).data.activeSubscription;
  expect(mine).toMatchObject({ price: 110_000, plan: { duration: 30, max_devices: 2 } });
});

test('a renewal is on the terms of its own moment', async () => {
  const user = await rich();
  await buy(user);
  const [first] = (await user.api.listSubscriptions()).data.subscriptions;
  await change({ price: 125_000, from: inMinutes(5) });
  clock.advance(5 * MINUTE);
  await buy(user, world, { order: { renewalOf: first?.id ?? '' } });
  const all = (await user.api.listSubscriptions()).data.subscriptions;
  expect(all.map(({ price, status }) => [price, status])).toEqual([
    [125_000, 'scheduled'],
    [120_000, 'active'],
  ]);
});

describe('what a screen showed', () => {
  const balanceOf = async (user: Awaited<ReturnType<typeof rich>>) => (await user.api.getWallet()).data.balance;

  test('is what is bought: other terms are refused with a sentence that has them, and nothing is taken', async () => {
    const user = await rich();
    const before = await balanceOf(user);
    const quote = (await user.api.quoteSubscription({ query: { plan_id: 'basic' } })).data;
    await change({ price: 130_000, from: inMinutes(5) });
    clock.advance(5 * MINUTE);
    const body = { plan_id: 'basic', expected_due: quote.due, expected_version: quote.plan.version };
    const headers = { 'Idempotency-Key': randomUUID() };
    const refused = user.api.purchaseSubscription({ body }, { headers });
    await expect(refused).rejects.toMatchObject({ status: 409, code: 'plan_changed' });
    await expect(refused).rejects.toThrow('۱۳۰٬۰۰۰ تومان برای ۳۱ روز');
    expect(await balanceOf(user)).toBe(before);
    expect((await user.api.listSubscriptions()).data.subscriptions).toEqual([]);
    // Cheaper, for fewer devices: this is not what was shown either.
    const again = (await user.api.quoteSubscription({ query: { plan_id: 'basic' } })).data;
    await change({ price: 90_000, max_devices: 1, original_price: null });
    const worse = { plan_id: 'basic', expected_due: again.due, expected_version: again.plan.version };
    await expect(user.api.purchaseSubscription({ body: worse })).rejects.toMatchObject({ code: 'plan_changed' });
    const now = (await user.api.quoteSubscription({ query: { plan_id: 'basic' } })).data;
    const right = { plan_id: 'basic', expected_due: now.due, expected_version: now.plan.version };
    expect((await user.api.purchaseSubscription({ body: right }, { headers })).data.due).toBe(90_000);
    expect(before - (await balanceOf(user))).toBe(90_000);
  });

  test('another version on the same terms is the same; a made-up one, or one of another plan, is not', async () => {
    const seen = (await planOf()).versions.find(({ state }) => state === 'in_force')?.id ?? '';
    await change({ original_price: 160_000 });
    expect((await planOf()).versions[0]?.id).not.toBe(seen);
    await buy(await rich(), world, { seenVersion: seen });
    const premium = (await planOf('premium')).versions[0]?.id ?? '';
    for (const seenVersion of [premium, randomUUID()])
      await expect(buy(await rich(), world, { seenVersion })).rejects.toMatchObject({ code: 'plan_changed' });
  });

  test('a card is not used up by a purchase that is refused so', async () => {
    const user = await rich();
    const code = await world.giftCard(10_000);
    const refused = buy(user, world, { giftCode: code, seenVersion: randomUUID() });
    await expect(refused).rejects.toMatchObject({ code: 'plan_changed' });
    await buy(user, world, { giftCode: code });
  });
});

test('purchases and changes at the same time: each sale has the whole of one version, which was sold at its moment', async () => {
  const users = await Promise.all(Array.from({ length: 12 }, rich));
  const changes = [140_000n, 150_000n, 160_000n].map(
    (priceToman, n) => () =>
      setPlan(world.deps, {
        actor,
        id: 'basic',
        change: { priceToman, originalPriceToman: undefined, maxDevices: 4 + n },
      }),
  );
  const sales = users.map((user, n) => () => buy(user, n % 2 ? world : other));
  const mixed = sales.flatMap((sale, n) =>
    n % 4 === 1 && changes[(n - 1) / 4] ? [changes[(n - 1) / 4] ?? sale, sale] : [sale],
  );
  expect(mixed.length).toBe(15);
  await Promise.all(mixed.map((act) => act()));
  const { rows } = await sql<{ price: number; devices: number }>`
    SELECT s.price_toman::int AS price, s.max_devices AS devices FROM subscription s JOIN plan_version v ON v.id = s.version_id
    WHERE user_id = ANY (${users.map(({ id }) => id)}::uuid[])
      AND (s.price_toman, s.max_devices) = (v.price_toman, v.max_devices) AND v.cancelled_at IS NULL
  `.execute(world.deps.db);
  expect(rows.length).toBe(12);
  const pairs = { 90000: 1, 140000: 4, 150000: 5, 160000: 6 } as Record<number, number>;
  expect(rows.filter(({ price, devices }) => pairs[price] !== devices)).toEqual([]);
});

test('a change waits for a sale that is under way, which keeps its terms; the sale after it has the new ones', async () => {
  const [first, second] = [await rich(), await rich()];
  await changePlan(world, 'basic', { priceToman: 100_000n });
  await buy(first, world, { order: { planId: 'premium' } });
  const waiting = async (count: number) =>
    await eventually(async () => {
      const { rows } = await sql`
        SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE%' AND datname = current_database()
      `.execute(world.deps.db);
      return rows.length === count;
    });
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    // The sale holds the plan, and then waits for the subscription that it replaces.
    await client.query('BEGIN');
    await client.query('SELECT FROM subscription WHERE user_id = $1 FOR UPDATE', [first.id]);
    const sale = buy(first);
    await waiting(1);
    const changed = change({ price: 170_000 });
    await waiting(2);
    expect(await asked()).toEqual([100_000, 100_000]);
    await client.query('COMMIT');
    await sale;
    expect((await changed).status).toBe(200);
  } finally {
    await client.end();
  }
  const mine = (await first.api.listSubscriptions()).data.activeSubscription;
  expect(mine).toMatchObject({ price: 100_000, plan: { id: 'basic' } });
  expect((await buy(second, other)).dueToman).toBe(170_000);
});

test('a planned moment is at least two minutes ahead, one change of a plan is planned at a time, and names are not planned', async () => {
  for (const minutes of [-1, 0, planMinutes - 0.01, 367 * 1_440])
    expect(await change({ price: 5_000, from: inMinutes(minutes) })).toMatchObject({
      status: 409,
      code: 'price_moment',
    });
  expect((await change({ price: 5_000, from: inMinutes(planMinutes) })).status).toBe(200);
  expect(await change({ price: 6_000, from: inMinutes(30) })).toMatchObject({ status: 409, code: 'plan_planned' });
  // Of another plan one may be planned meanwhile; at once stays possible, and what is planned comes all the same.
  expect((await change({ id: 'premium', price: 6_000, from: inMinutes(30) })).status).toBe(200);
  expect((await cancel((await plannedOf('premium'))?.id ?? '')).status).toBe(200);
  expect((await change({ price: 7_000 })).status).toBe(200);
  expect(await asked()).toEqual([7_000, 7_000]);
  clock.advance(planMinutes * MINUTE);
  expect(await asked()).toEqual([5_000, 5_000]);
  for (const more of [{ name_fa: 'ساده' }, { is_on: false }, { position: 9 }])
    expect(await change({ price: 8_000, from: inMinutes(5), ...more })).toMatchObject({ code: 'plan_at_once' });
  expect(await change({ id: 'new', seen: null, price: 8_000, from: inMinutes(5) })).toMatchObject({
    code: 'plan_at_once',
  });
});

test('of two members at once one changes the plan; the other sees it and decides anew', async () => {
  for (const [round, more] of [{}, { from: inMinutes(30) }, { name_en: 'Light' }].entries()) {
    const { seen } = await planOf();
    const both = await Promise.all(
      [boss, finance].map((member, n) => change({ seen, member, price: 11_000 + 10 * round + n, ...more })),
    );
    expect(both.map(({ status, code }) => code ?? status).sort()).toEqual([200, 'plans_changed']);
    const planned = await plannedOf();
    if (planned) expect((await cancel(planned.id)).status).toBe(200);
  }
  // One makes a plan that the other makes, too.
  const made = await Promise.all(
    [boss, finance].map((member) => change({ member, id: 'twin', seen: null, price: 1_000 })),
  );
  expect(made.map(({ status, code }) => code ?? status).sort()).toEqual([200, 'plans_changed']);
  expect(await planOf('twin')).toMatchObject({ price: 1_000, is_on: false, versions: [{ state: 'in_force' }] });
  // What a cancelled plan was is a change, too.
  const { seen } = await planOf();
  await change({ price: 12_000, from: inMinutes(30), seen });
  const stale = (await planOf()).seen;
  await cancel((await plannedOf())?.id ?? '');
  expect(await change({ seen: stale, price: 13_000 })).toMatchObject({ code: 'plans_changed' });
});

test('cancelled or sold, and never both', async () => {
  const before = (await planOf()).price;
  await change({ price: 20_000, from: inMinutes(5) });
  const first = (await plannedOf())?.id ?? '';
  clock.advance(5 * MINUTE - (cancelSeconds + 1) * 1_000);
  const twice = await Promise.all([cancel(first), cancel(first)]);
  expect(twice.map(({ status, code }) => code ?? status).sort()).toEqual([200, 'price_in_force']);
  expect((await planOf()).versions.find(({ id }) => id === first)).toMatchObject({
    ...{ state: 'cancelled', cancelled_by: boss.email },
  });
  clock.advance(cancelSeconds * 2_000);
  expect(await asked()).toEqual([before, before]);
  await change({ price: 21_000, from: inMinutes(5) });
  const second = (await plannedOf())?.id ?? '';
  clock.advance(5 * MINUTE - cancelSeconds * 1_000);
  expect(await cancel(second)).toMatchObject({ status: 409, code: 'price_in_force' });
  clock.advance(cancelSeconds * 1_000);
  expect(await asked()).toEqual([21_000, 21_000]);
  expect(await cancel(second)).toMatchObject({ status: 409, code: 'price_in_force' });
  expect((await cancel(randomUUID())).status).toBe(404);
});

describe('a server of the release before', () => {
  const columns = async () =>
    (await sql<{ price: number }>`SELECT price_toman::int AS price FROM plan WHERE id = 'basic'`.execute(world.deps.db))
      .rows[0]?.price;

  test('sells by columns that follow: at once, and by a schedule when a planned version begins', async () => {
    await change({ price: 31_000 });
    expect(await columns()).toBe(31_000);
    await change({ price: 32_000, from: inMinutes(5) });
    clock.advance(5 * MINUTE - 1);
    expect(await followVersions(world.deps)).toBe(0);
    clock.advance(1);
    const { seen } = await planOf();
    expect(await columns()).toBe(31_000);
    expect(await Promise.all([followVersions(world.deps), followVersions(other.deps)])).toContain(1);
    expect(await columns()).toBe(32_000);
    expect(await followVersions(world.deps)).toBe(0);
    // Nobody changed anything: a member with an open form is not refused.
    expect((await planOf()).seen).toBe(seen);
  });

  test('its command line writes the columns, which makes a version that holds at once', async () => {
    const { seen } = await planOf();
    await sql`
      INSERT INTO plan (id, name_fa, name_en, price_toman, duration_days, traffic_limit_bytes, max_devices)
      VALUES ('basic', 'x', 'x', 33000, 30, NULL, 2)
      ON CONFLICT (id) DO UPDATE SET price_toman = excluded.price_toman, traffic_limit_bytes = excluded.traffic_limit_bytes
    `.execute(world.deps.db);
    const plan = await planOf();
    expect(plan).toMatchObject({ price: 33_000, traffic_bytes: null });
    expect(plan.versions[0]).toMatchObject({ state: 'in_force', price: 33_000, by: null });
    expect(plan.seen).toBeGreaterThan(seen);
    expect(await change({ seen, price: 1 })).toMatchObject({ code: 'plans_changed' });
    await sql`UPDATE plan SET name_en = 'Light' WHERE id = 'basic'`.execute(world.deps.db);
    const named = await planOf();
    expect([named.versions.length, named.seen > plan.seen]).toEqual([plan.versions.length, true]);
    await sql`INSERT INTO plan (id, name_fa, name_en, price_toman, duration_days, max_devices) VALUES ('old', 'x', 'x', 5, 30, 1)`.execute(
      world.deps.db,
    );
    expect(await planOf('old')).toMatchObject({ price: 5, versions: [{ state: 'in_force', price: 5 }] });
  });
});

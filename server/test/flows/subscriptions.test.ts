import { chargeToman, priceMilliTomanPerGb } from '@raha/contract/money.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { warnOfEndingPlans } from '../../src/modules/plan-sales/warn-ending.ts';
import { changePlan } from '../../src/modules/subscriptions/plans.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { eventually, openTestWorld, TEST_RATE, type TestPerson, type TestWorld } from '../world.ts';

/** Plans: bought, renewed, changed, cancelled; traffic, devices and time as the nodes see them. */
const price = priceMilliTomanPerGb(3, TEST_RATE);
const GB = 1_000_000_000n;
let world: TestWorld;
let node: FakeNode;

beforeAll(async () => {
  world = await openTestWorld({ connections: 1 });
  node = await enrolFakeNode(world);
});
beforeEach(async () => {
  await changePlan(world.deps.db, 'basic', { priceToman: 99_000n, trafficLimitBytes: 50n * GB, maxDevices: 2 });
  await changePlan(world.deps.db, 'premium', { priceToman: 199_000n });
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

async function buyer(planId?: string): Promise<TestPerson> {
  const person = await world.person({ usdCents: 1000 });
  if (planId) await person.api.purchaseSubscription({ body: { plan_id: planId } });
  return person;
}

async function device(person: TestPerson, name: string): Promise<string> {
  const { data } = await person.api.createConfig({ body: { name, serverId: node.id } });
  await node.sync();
  return data.config.id;
}

/** Uses up leases until so many bytes have passed, as a busy device would. */
async function use(config: string, bytes: number, from = 0): Promise<void> {
  for (let used = from; used < bytes; ) {
    used = Math.min(bytes, node.limitOf(config));
    await node.report([{ config, down: used }]);
    await node.sync();
  }
}

/** Moves a person's periods into the past, as if so many days had gone by. */
async function pass(person: TestPerson, days: number): Promise<void> {
  await sql`
    UPDATE subscription SET starts_at = starts_at - make_interval(days => ${days}), ends_at = ends_at - make_interval(days => ${days})
    WHERE user_id = ${person.id}
  `.execute(world.deps.db);
}

const balanceOf = async (person: TestPerson) => (await person.api.getWallet()).data.balance;
const activeOf = async (person: TestPerson) => (await person.api.listSubscriptions()).data.activeSubscription;

async function outcomes(calls: Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of await Promise.allSettled(calls)) {
    const key = outcome.status === 'fulfilled' ? 'won' : String((outcome.reason as { code?: string }).code);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe('buying', () => {
  test('a plan costs its price, once, and makes usage free', async () => {
    const person = await buyer();
    const { data: shop } = await person.api.listPlans();
    expect(shop.plans.map((plan) => [plan.id, plan.duration, plan.trafficLimit, plan.maxDevices])).toEqual([
      ['basic', 30, 50_000_000_000, 2],
      ['premium', 30, null, 5],
      ['business', 30, null, 10],
    ]);
    const { data: quote } = await person.api.quoteSubscription({ query: { plan_id: 'basic' } });
    expect(quote).toMatchObject({ kind: 'purchase', price: 99_000, credit: 0, due: 99_000, wallet: 800_000 });
    expect((await person.api.getWallet()).data.price_per_gb).toBe(2400);
    const { data } = await person.api.purchaseSubscription({ body: { plan_id: 'basic', expected_due: 99_000 } });
    expect(data).toMatchObject({
      due: 99_000,
      balance: 701_000,
      subscription: { status: 'active', type: 'limited', daysRemaining: 30, isExpiring: false, traffic_used: 0 },
    });
    expect((await person.api.getWallet()).data.price_per_gb).toBe(0);
    const lines = (await person.api.listWalletTransactions({ query: {} })).data.transactions;
    expect(lines[0]).toMatchObject({ type: 'subscription', amount: -99_000, description: 'خرید پلن «پایه»' });
    expect((await activeOf(person))?.id).toBe(data.subscription.id);
    await world.proveLedger();
  });

  test('without the money, without activation, of an unknown plan: refused', async () => {
    const poor = await world.person({ usdCents: 100 });
    const stranger = await world.person({ usdCents: 0 });
    const buy = (person: TestPerson, plan_id: string) => person.api.purchaseSubscription({ body: { plan_id } });
    await expect(buy(poor, 'basic')).rejects.toMatchObject({ code: 'insufficient_balance', status: 402 });
    await expect(buy(stranger, 'basic')).rejects.toMatchObject({ code: 'activation_required' });
    await expect(buy(poor, 'gold')).rejects.toMatchObject({ code: 'plan_not_found', status: 404 });
    await changePlan(world.deps.db, 'business', { isOn: false });
    await expect(buy(await buyer(), 'business')).rejects.toMatchObject({ code: 'plan_not_found' });
    await changePlan(world.deps.db, 'business', { isOn: true });
    expect((await poor.api.listSubscriptions()).data).toEqual({ subscriptions: [], activeSubscription: null });
  });

  test('with a gift card: activated, credited, bought; a card that is worth too little is not used up', async () => {
    const person = await world.person({ usdCents: 0 });
    const small = await world.giftCard(100);
    const pay = (gift_card_code?: string) =>
      person.api.purchaseSubscription({
        body: { plan_id: 'basic', payment_method: 'gift_card', ...(gift_card_code ? { gift_card_code } : {}) },
      });
    await expect(pay()).rejects.toMatchObject({ fields: { gift_card_code: 'لطفاً کد گیفت کارت را وارد کنید.' } });
    await expect(pay(small)).rejects.toMatchObject({ code: 'insufficient_balance' });
    await expect(pay('7K3M-9QXW-2R5T-8VB3')).rejects.toMatchObject({ code: 'gift_card_invalid' });
    expect((await person.api.verifyGiftCard({ body: { gift_card_code: small } })).data.amount).toBe(80_000);
    const { data } = await pay(await world.giftCard(200));
    expect(data).toMatchObject({ due: 99_000, balance: 61_000, subscription: { status: 'active' } });
    expect((await person.api.listConfigs()).data.configs).toEqual([]);
    await world.proveLedger();
  });

  test('twenty at once are one; the rest is told that it runs; a repeated request gets its answer again', async () => {
    const person = await buyer();
    const buy = () => person.api.purchaseSubscription({ body: { plan_id: 'basic' } });
    expect(await outcomes(Array.from({ length: 20 }, buy))).toEqual({ won: 1, plan_running: 19 });
    expect(await balanceOf(person)).toBe(701_000);
    const other = await buyer();
    const headers = { 'idempotency-key': 'one' };
    const same = () => other.api.purchaseSubscription({ body: { plan_id: 'basic' } }, { headers });
    const answers = await Promise.all(Array.from({ length: 20 }, same));
    expect(new Set(answers.map((answer) => answer.data.subscription.id)).size).toBe(1);
    expect(await balanceOf(other)).toBe(701_000);
  });
});

describe('inside a plan', () => {
  test('its traffic is free to the byte; what comes after costs its price per GB, to the toman', async () => {
    await changePlan(world.deps.db, 'basic', { trafficLimitBytes: 50_000_000n });
    const person = await buyer('basic');
    const config = await device(person, 'phone');
    await use(config, 50_000_000);
    expect(await balanceOf(person)).toBe(701_000);
    expect(await activeOf(person)).toMatchObject({ status: 'used_up', traffic_used: 50_000_000 });
    await use(config, 90_000_000, 50_000_000);
    expect(await balanceOf(person)).toBe(701_000 - Number(chargeToman(40_000_000n, price)));
    expect((await person.api.getWallet()).data.price_per_gb).toBe(2400);
    await world.proveLedger();
  });

  test('two devices share its traffic; a third, beyond the plan, is charged per GB', async () => {
    const person = await buyer('basic');
    const [first, second, third] = [
      await device(person, 'one'),
      await device(person, 'two'),
      await device(person, 'three'),
    ];
    const before = await balanceOf(person);
    await use(first, 20_000_000);
    await use(second, 30_000_000);
    expect(await balanceOf(person)).toBe(before);
    expect((await activeOf(person))?.traffic_used).toBe(50_000_000);
    await use(third, 40_000_000);
    expect(before - (await balanceOf(person))).toBe(Number(chargeToman(40_000_000n, price)));
    expect((await activeOf(person))?.traffic_used).toBe(50_000_000);
    await world.proveLedger();
  });

  test('a deleted config gives back what it did not use, to the plan', async () => {
    const person = await buyer('basic');
    const config = await device(person, 'gone');
    await use(config, 20_000_000);
    await person.api.deleteConfig({ params: { id: config } });
    await node.sync();
    await node.report([{ config, down: 20_000_000, final: true }]);
    const row = await sql<{ granted_bytes: bigint }>`
      SELECT granted_bytes FROM subscription WHERE user_id = ${person.id}
    `.execute(world.deps.db);
    expect(row.rows[0]?.granted_bytes).toBe(20_000_000n);
    await world.proveLedger();
  });

  test('when its time is over the wallet pays; with an empty wallet the config is expired, until a plan is bought', async () => {
    const person = await world.person({ usdCents: 125 });
    await person.api.purchaseSubscription({ body: { plan_id: 'basic' } });
    expect(await balanceOf(person)).toBe(1_000);
    const config = await device(person, 'phone');
    await pass(person, 31);
    expect(await activeOf(person)).toBeNull();
    // The bytes already leased stay free; then the wallet is used up to its last toman.
    await use(config, 16_000_000);
    for (let round = 0; round < 40; round += 1) {
      await node.report([{ config, down: node.limitOf(config) }]);
    }
    expect((await person.api.getConfig({ params: { id: config } })).data.config).toMatchObject({
      status: 'expired',
      service: 'no_balance',
    });
    const waiting = node.sync(20);
    await person.api.purchaseSubscription({
      body: { plan_id: 'basic', payment_method: 'gift_card', gift_card_code: await world.giftCard(200) },
    });
    await waiting;
    await eventually(async () => {
      const { config: shown } = (await person.api.getConfig({ params: { id: config } })).data;
      return shown.status === 'active' || undefined;
    });
    await world.proveLedger();
  });

  test('a trial does not use up a plan', async () => {
    const person = await buyer('basic');
    await sql`UPDATE users SET trial_ends_at = now() + interval '1 day' WHERE id = ${person.id}`.execute(world.deps.db);
    const config = await device(person, 'phone');
    await use(config, 20_000_000);
    expect((await activeOf(person))?.traffic_used).toBe(0);
    expect(await balanceOf(person)).toBe(701_000);
  });

  test('a week before the end it says so, unless the next period is bought', async () => {
    const person = await buyer('basic');
    await pass(person, 22);
    expect(await activeOf(person)).toMatchObject({ daysRemaining: 8, isExpiring: false });
    expect(await warnOfEndingPlans(world.deps)).toBe(0);
    await pass(person, 1);
    expect(await activeOf(person)).toMatchObject({ daysRemaining: 7, isExpiring: true });
    const warned = await Promise.all(Array.from({ length: 5 }, () => warnOfEndingPlans(world.deps)));
    expect(warned.sort()).toEqual([0, 0, 0, 0, 1]);
    await eventually(() => world.mails.find(({ to, text }) => to === person.email && text.includes('پایه')));
    const id = (await activeOf(person))?.id ?? '';
    const advised = async () =>
      (await person.api.getRecommendations()).data.recommendations.find(({ kind }) => kind === 'renew_plan')?.href;
    expect(await advised()).toBe('/user/plans');
    await person.api.renewSubscription({ params: { id } });
    expect(await activeOf(person)).toMatchObject({ daysRemaining: 7, isExpiring: false });
    expect(await advised()).toBeUndefined();
  });
});

describe('renewing', () => {
  test('begins at the end of what runs, costs the price once however often it is asked for', async () => {
    const person = await buyer('basic');
    const running = await activeOf(person);
    const params = { id: running?.id ?? '' };
    const { data: quote } = await person.api.quoteSubscription({ query: { renewal_of: params.id } });
    expect(quote).toMatchObject({ kind: 'renewal', due: 99_000, startDate: running?.endDate });
    const renew = () => person.api.renewSubscription({ params });
    expect(await outcomes(Array.from({ length: 20 }, renew))).toEqual({ won: 1, plan_renewed: 19 });
    expect(await balanceOf(person)).toBe(602_000);
    const { subscriptions } = (await person.api.listSubscriptions()).data;
    expect(subscriptions.map(({ status }) => status)).toEqual(['scheduled', 'active']);
    await pass(person, 30);
    expect((await activeOf(person))?.id).toBe(subscriptions[0]?.id);
    await world.proveLedger();
  });

  test('of traffic that is used up begins at once, also when it was bought before', async () => {
    await changePlan(world.deps.db, 'basic', { trafficLimitBytes: 20_000_000n });
    const person = await buyer('basic');
    const first = await activeOf(person);
    const { data } = await person.api.renewSubscription({ params: { id: first?.id ?? '' } });
    const config = await device(person, 'phone');
    await use(config, 30_000_000);
    const { subscriptions, activeSubscription } = (await person.api.listSubscriptions()).data;
    expect(activeSubscription).toMatchObject({ id: data.subscription.id, status: 'active', daysRemaining: 30 });
    expect(subscriptions.find(({ id }) => id === first?.id)).toMatchObject({
      status: 'used_up',
      traffic_used: 20_000_000,
    });
    expect(await balanceOf(person)).toBe(800_000 - 2 * 99_000);
    await world.proveLedger();
  });

  test('bytes that come back from a lease after the next period has begun early go to that one', async () => {
    await changePlan(world.deps.db, 'basic', { trafficLimitBytes: 40_000_000n });
    const person = await buyer('basic');
    const first = await activeOf(person);
    const renewed = (await person.api.renewSubscription({ params: { id: first?.id ?? '' } })).data.subscription;
    const [busy, idle] = [await device(person, 'busy'), await device(person, 'idle')];
    await use(busy, 30_000_000);
    expect((await activeOf(person))?.id).toBe(renewed.id);
    // The other one has used nothing of its lease of the first period's bytes, and never will.
    for (const config of [busy, idle]) await person.api.deleteConfig({ params: { id: config } });
    await node.sync();
    await node.report([
      { config: busy, down: 30_000_000, final: true },
      { config: idle, final: true },
    ]);
    expect((await activeOf(person))?.plan.traffic_limit).toBe(40_000_000 + 16_000_000);
    await world.proveLedger();
    const later = await device(person, 'later');
    await use(later, 50_000_000);
    expect(await balanceOf(person)).toBe(800_000 - 2 * 99_000);
    expect(await activeOf(person)).toMatchObject({ id: renewed.id, status: 'used_up' });
    await use(later, 60_000_000, 50_000_000);
    expect(await balanceOf(person)).toBe(800_000 - 2 * 99_000 - Number(chargeToman(10_000_000n, price)));
    await world.proveLedger();
  });

  test('what has not begun gives nothing yet: a device that only the next period covers pays until then', async () => {
    const person = await buyer('basic');
    for (const name of ['one', 'two']) await device(person, name);
    await changePlan(world.deps.db, 'basic', { maxDevices: 3 });
    const { data } = await person.api.renewSubscription({ params: { id: (await activeOf(person))?.id ?? '' } });
    const third = await device(person, 'three');
    const before = await balanceOf(person);
    await use(third, 40_000_000);
    expect(before - (await balanceOf(person))).toBe(Number(chargeToman(40_000_000n, price)));
    expect((await person.api.cancelSubscription({ params: { id: data.subscription.id } })).data).toMatchObject({
      credited: 99_000,
    });
    await world.proveLedger();
  });

  test("another person's subscription is not found; another plan is refused", async () => {
    const person = await buyer('basic');
    const other = await buyer('premium');
    const id = (await activeOf(other))?.id ?? '';
    await expect(person.api.renewSubscription({ params: { id } })).rejects.toMatchObject({ code: 'not_found' });
    await expect(person.api.cancelSubscription({ params: { id } })).rejects.toMatchObject({ code: 'not_found' });
    const mine = (await activeOf(person))?.id ?? '';
    await person.api.purchaseSubscription({ body: { plan_id: 'premium' } });
    await expect(person.api.renewSubscription({ params: { id: mine } })).rejects.toMatchObject({
      code: 'plan_other_running',
    });
  });
});

describe('changing and cancelling', () => {
  test('an upgrade takes what was quoted: the price less the days that are left', async () => {
    const person = await buyer('basic');
    await pass(person, 10);
    const { data: quote } = await person.api.quoteSubscription({ query: { plan_id: 'premium' } });
    // Nineteen whole days are left: the twentieth has begun.
    expect(quote).toMatchObject({ kind: 'upgrade', price: 199_000, credit: 62_700, due: 136_300 });
    const buy = (expected_due: number) =>
      person.api.purchaseSubscription({ body: { plan_id: 'premium', expected_due } });
    await expect(buy(136_299)).rejects.toMatchObject({ code: 'plan_price_changed', status: 409 });
    const { data } = await buy(136_300);
    expect(data).toMatchObject({ due: 136_300, balance: 701_000 - 136_300 });
    const { subscriptions } = (await person.api.listSubscriptions()).data;
    expect(subscriptions.map(({ status, credited }) => [status, credited])).toEqual([
      ['active', 0],
      ['replaced', 62_700],
    ]);
    await world.proveLedger();
  });

  test('cancelling gives back what is left, by time or traffic, whichever is less; once', async () => {
    await changePlan(world.deps.db, 'basic', { priceToman: 90_000n, trafficLimitBytes: 64_000_000n });
    const person = await buyer('basic');
    const config = await device(person, 'phone');
    expect(config).toBeTruthy();
    const running = await activeOf(person);
    // A quarter of the traffic is out on the device; 29 of 30 days are left.
    expect(running?.refundable).toBe(67_500);
    const before = await balanceOf(person);
    const cancel = () => person.api.cancelSubscription({ params: { id: running?.id ?? '' } });
    expect(await outcomes(Array.from({ length: 20 }, cancel))).toEqual({ won: 1, plan_over: 19 });
    expect(await balanceOf(person)).toBe(before + 67_500);
    expect(await activeOf(person)).toBeNull();
    const history = (await person.api.subscriptionHistory({ query: { per_page: 1 } })).data;
    expect(history).toMatchObject({
      subscriptions: [{ status: 'cancelled', credited: 67_500 }],
      pagination: { total: 1 },
    });
    const [line] = (await person.api.listWalletTransactions({ query: {} })).data.transactions;
    expect(line).toMatchObject({ type: 'subscription', amount: 67_500, description: 'بازگشت باقی‌ماندهٔ پلن «پایه»' });
    await world.proveLedger();
  });
});

test('purchases, renewals, cancellations and reports at once: the ledger and the allowances hold', async () => {
  await changePlan(world.deps.db, 'basic', { priceToman: 1_000n, trafficLimitBytes: 40_000_000n });
  const person = await buyer('basic');
  const configs = [await device(person, 'a'), await device(person, 'b'), await device(person, 'c')];
  const ends = async () =>
    sql`UPDATE subscription SET ends_at = now() + interval '1 ms' WHERE user_id = ${person.id} AND ends_at > now() AND starts_at <= now()`.execute(
      world.deps.db,
    );
  for (let round = 0; round < 6; round += 1) {
    const id = (await activeOf(person))?.id;
    const calls = [
      node.report(configs.map((config) => ({ config, down: node.limitOf(config) }))),
      person.api.purchaseSubscription({ body: { plan_id: 'basic' } }),
      person.api.purchaseSubscription({ body: { plan_id: 'premium' } }),
      id ? person.api.renewSubscription({ params: { id } }) : undefined,
      id && round % 2 === 0 ? person.api.cancelSubscription({ params: { id } }) : undefined,
      round === 3 ? ends() : undefined,
    ];
    const settled = await Promise.allSettled(calls);
    const bugs = settled.flatMap((outcome) =>
      outcome.status === 'rejected' && !(outcome.reason as { code?: string }).code ? [outcome.reason] : [],
    );
    expect(bugs).toEqual([]);
    await node.sync();
    await world.proveLedger();
  }
});

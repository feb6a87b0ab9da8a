import { chargeToman, priceMilliTomanPerGb } from '@raha/contract/money.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { warnOfEndingPlans } from '../../src/modules/plan-sales/warn-ending.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { changePlan } from '../plans.ts';
import { runTrial } from '../trial.ts';
import { eventually, openTestWorld, TEST_RATE, type TestUser, type TestWorld } from '../world.ts';

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
  await changePlan(world, 'basic', { priceToman: 99_000n, trafficLimitBytes: 50n * GB, maxDevices: 2 });
  await changePlan(world, 'premium', { priceToman: 199_000n });
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

async function buyer(planId?: string): Promise<TestUser> {
  const user = await world.user({ usdCents: 1000 });
  if (planId) await user.api.purchaseSubscription({ body: { plan_id: planId } });
  return user;
}

async function device(user: TestUser, name: string): Promise<string> {
  const { data } = await user.api.createConfig({ body: { name, serverId: node.id } });
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

/** Moves a user's periods into the past, as if so many days had gone by. */
async function pass(user: TestUser, days: number): Promise<void> {
  await sql`
    UPDATE subscription SET starts_at = starts_at - make_interval(days => ${days}), ends_at = ends_at - make_interval(days => ${days})
    WHERE user_id = ${user.id}
  `.execute(world.deps.db);
}

const balanceOf = async (user: TestUser) => (await user.api.getWallet()).data.balance;
const activeOf = async (user: TestUser) => (await user.api.listSubscriptions()).data.activeSubscription;

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
    const user = await buyer();
    const { data: shop } = await user.api.listPlans();
    expect(shop.plans.map((plan) => [plan.id, plan.duration, plan.trafficLimit, plan.maxDevices])).toEqual([
      ['basic', 30, 50_000_000_000, 2],
      ['premium', 30, null, 5],
      ['business', 30, null, 10],
    ]);
    const { data: quote } = await user.api.quoteSubscription({ query: { plan_id: 'basic' } });
    expect(quote).toMatchObject({ kind: 'purchase', price: 99_000, credit: 0, due: 99_000, wallet: 800_000 });
    expect((await user.api.getWallet()).data.price_per_gb).toBe(2400);
    const { data } = await user.api.purchaseSubscription({ body: { plan_id: 'basic', expected_due: 99_000 } });
    expect(data).toMatchObject({
      due: 99_000,
      balance: 701_000,
      subscription: { status: 'active', type: 'limited', daysRemaining: 30, isExpiring: false, traffic_used: 0 },
    });
    expect((await user.api.getWallet()).data.price_per_gb).toBe(0);
    const lines = (await user.api.listWalletTransactions({ query: {} })).data.transactions;
    expect(lines[0]).toMatchObject({ type: 'subscription', amount: -99_000, description: 'خرید پلن «پایه»' });
    expect((await activeOf(user))?.id).toBe(data.subscription.id);
    await world.proveLedger();
  });

  test('without the money, without activation, of an unknown plan: refused', async () => {
    const poor = await world.user({ usdCents: 100 });
    const stranger = await world.user({ usdCents: 0 });
    const buy = (user: TestUser, plan_id: string) => user.api.purchaseSubscription({ body: { plan_id } });
    await expect(buy(poor, 'basic')).rejects.toMatchObject({ code: 'insufficient_balance', status: 402 });
    await expect(buy(stranger, 'basic')).rejects.toMatchObject({ code: 'activation_required' });
    await expect(buy(poor, 'gold')).rejects.toMatchObject({ code: 'plan_not_found', status: 404 });
    await changePlan(world, 'business', { isOn: false });
    await expect(buy(await buyer(), 'business')).rejects.toMatchObject({ code: 'plan_not_found' });
    await changePlan(world, 'business', { isOn: true });
    expect((await poor.api.listSubscriptions()).data).toEqual({ subscriptions: [], activeSubscription: null });
  });

  test('with a gift card: activated, credited, bought; a card that is worth too little is not used up', async () => {
    const user = await world.user({ usdCents: 0 });
    const small = await world.giftCard(100);
    const pay = (gift_card_code?: string) =>
      user.api.purchaseSubscription({
        body: { plan_id: 'basic', payment_method: 'gift_card', ...(gift_card_code ? { gift_card_code } : {}) },
      });
    await expect(pay()).rejects.toMatchObject({ fields: { gift_card_code: 'لطفاً کد گیفت کارت را وارد کنید.' } });
    await expect(pay(small)).rejects.toMatchObject({ code: 'insufficient_balance' });
    await expect(pay('7K3M-9QXW-2R5T-8VB3')).rejects.toMatchObject({ code: 'gift_card_invalid' });
    expect((await user.api.verifyGiftCard({ body: { gift_card_code: small } })).data.amount).toBe(80_000);
    const { data } = await pay(await world.giftCard(200));
    expect(data).toMatchObject({ due: 99_000, balance: 61_000, subscription: { status: 'active' } });
    expect((await user.api.listConfigs()).data.configs).toEqual([]);
    await world.proveLedger();
  });

  test('twenty at once are one purchase; the others are refused because the plan runs; a repeated request gets its answer again', async () => {
    const user = await buyer();
    const buy = () => user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
    expect(await outcomes(Array.from({ length: 20 }, buy))).toEqual({ won: 1, plan_running: 19 });
    expect(await balanceOf(user)).toBe(701_000);
    const other = await buyer();
    const headers = { 'idempotency-key': 'one' };
    const same = () => other.api.purchaseSubscription({ body: { plan_id: 'basic' } }, { headers });
    const answers = await Promise.all(Array.from({ length: 20 }, same));
    expect(new Set(answers.map((answer) => answer.data.subscription.id)).size).toBe(1);
    expect(await balanceOf(other)).toBe(701_000);
  });
});

describe('inside a plan', () => {
  test('its traffic is free to the byte; bytes beyond it cost the price per GB, to the toman', async () => {
    await changePlan(world, 'basic', { trafficLimitBytes: 50_000_000n });
    const user = await buyer('basic');
    const config = await device(user, 'phone');
    await use(config, 50_000_000);
    expect(await balanceOf(user)).toBe(701_000);
    expect(await activeOf(user)).toMatchObject({ status: 'used_up', traffic_used: 50_000_000 });
    await use(config, 90_000_000, 50_000_000);
    expect(await balanceOf(user)).toBe(701_000 - Number(chargeToman(40_000_000n, price)));
    expect((await user.api.getWallet()).data.price_per_gb).toBe(2400);
    await world.proveLedger();
  });

  test('two devices share its traffic; a third, beyond the plan, is charged per GB', async () => {
    const user = await buyer('basic');
    const [first, second, third] = [await device(user, 'one'), await device(user, 'two'), await device(user, 'three')];
    const before = await balanceOf(user);
    await use(first, 20_000_000);
    await use(second, 30_000_000);
    expect(await balanceOf(user)).toBe(before);
    expect((await activeOf(user))?.traffic_used).toBe(50_000_000);
    await use(third, 40_000_000);
    expect(before - (await balanceOf(user))).toBe(Number(chargeToman(40_000_000n, price)));
    expect((await activeOf(user))?.traffic_used).toBe(50_000_000);
    await world.proveLedger();
  });

  test('a deleted config gives back what it did not use, to the plan', async () => {
    const user = await buyer('basic');
    const config = await device(user, 'gone');
    await use(config, 20_000_000);
    await user.api.deleteConfig({ params: { id: config } });
    await node.sync();
    await node.report([{ config, down: 20_000_000, final: true }]);
    const row = await sql<{ granted_bytes: bigint }>`
      SELECT granted_bytes FROM subscription WHERE user_id = ${user.id}
    `.execute(world.deps.db);
    expect(row.rows[0]?.granted_bytes).toBe(20_000_000n);
    await world.proveLedger();
  });

  test('when its time is over the wallet pays; with an empty wallet the config is expired, until a plan is bought', async () => {
    const user = await world.user({ usdCents: 125 });
    await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
    expect(await balanceOf(user)).toBe(1_000);
    const config = await device(user, 'phone');
    await pass(user, 31);
    expect(await activeOf(user)).toBeNull();
    // The bytes already leased stay free; then the wallet is used up to its last toman.
    await use(config, 16_000_000);
    for (let round = 0; round < 40; round += 1) {
      await node.report([{ config, down: node.limitOf(config) }]);
    }
    expect((await user.api.getConfig({ params: { id: config } })).data.config).toMatchObject({
      status: 'expired',
      service: 'no_balance',
    });
    const waiting = node.sync(20);
    await user.api.purchaseSubscription({
      body: { plan_id: 'basic', payment_method: 'gift_card', gift_card_code: await world.giftCard(200) },
    });
    await waiting;
    await eventually(async () => {
      const { config: shown } = (await user.api.getConfig({ params: { id: config } })).data;
      return shown.status === 'active' || undefined;
    });
    await world.proveLedger();
  });

  test('a trial does not use up a plan', async () => {
    const user = await buyer('basic');
    await runTrial(world, user.id, 1);
    const config = await device(user, 'phone');
    await use(config, 20_000_000);
    expect((await activeOf(user))?.traffic_used).toBe(0);
    expect(await balanceOf(user)).toBe(701_000);
  });

  test('a week before the end the user is notified, unless the next period is bought', async () => {
    const user = await buyer('basic');
    await pass(user, 22);
    expect(await activeOf(user)).toMatchObject({ daysRemaining: 8, isExpiring: false });
    expect(await warnOfEndingPlans(world.deps)).toBe(0);
    await pass(user, 1);
    expect(await activeOf(user)).toMatchObject({ daysRemaining: 7, isExpiring: true });
    const warned = await Promise.all(Array.from({ length: 5 }, () => warnOfEndingPlans(world.deps)));
    expect(warned.sort()).toEqual([0, 0, 0, 0, 1]);
    await eventually(() => world.mails.find(({ to, text }) => to === user.email && text.includes('پایه')));
    const id = (await activeOf(user))?.id ?? '';
    const advised = async () =>
      (await user.api.getRecommendations()).data.recommendations.find(({ kind }) => kind === 'renew_plan')?.href;
    expect(await advised()).toBe('/user/plans');
    await user.api.renewSubscription({ params: { id } });
    expect(await activeOf(user)).toMatchObject({ daysRemaining: 7, isExpiring: false });
    expect(await advised()).toBeUndefined();
  });
});

describe('renewing', () => {
  test('begins at the end of the current period, and costs the price once, however often it is requested', async () => {
    const user = await buyer('basic');
    const running = await activeOf(user);
    const params = { id: running?.id ?? '' };
    const { data: quote } = await user.api.quoteSubscription({ query: { renewal_of: params.id } });
    expect(quote).toMatchObject({ kind: 'renewal', due: 99_000, startDate: running?.endDate });
    const renew = () => user.api.renewSubscription({ params });
    expect(await outcomes(Array.from({ length: 20 }, renew))).toEqual({ won: 1, plan_renewed: 19 });
    expect(await balanceOf(user)).toBe(602_000);
    const { subscriptions } = (await user.api.listSubscriptions()).data;
    expect(subscriptions.map(({ status }) => status)).toEqual(['scheduled', 'active']);
    await pass(user, 30);
    expect((await activeOf(user))?.id).toBe(subscriptions[0]?.id);
    await world.proveLedger();
  });

  test('begins at once when the traffic is used up, even if it was bought before', async () => {
    await changePlan(world, 'basic', { trafficLimitBytes: 20_000_000n });
    const user = await buyer('basic');
    const first = await activeOf(user);
    const { data } = await user.api.renewSubscription({ params: { id: first?.id ?? '' } });
    const config = await device(user, 'phone');
    await use(config, 30_000_000);
    const { subscriptions, activeSubscription } = (await user.api.listSubscriptions()).data;
    expect(activeSubscription).toMatchObject({ id: data.subscription.id, status: 'active', daysRemaining: 30 });
    expect(subscriptions.find(({ id }) => id === first?.id)).toMatchObject({
      status: 'used_up',
      traffic_used: 20_000_000,
    });
    expect(await balanceOf(user)).toBe(800_000 - 2 * 99_000);
    await world.proveLedger();
  });

  test('bytes returned from a lease after the next period has begun early go to that period', async () => {
    await changePlan(world, 'basic', { trafficLimitBytes: 40_000_000n });
    const user = await buyer('basic');
    const first = await activeOf(user);
    const renewed = (await user.api.renewSubscription({ params: { id: first?.id ?? '' } })).data.subscription;
    const [busy, idle] = [await device(user, 'busy'), await device(user, 'idle')];
    await use(busy, 30_000_000);
    expect((await activeOf(user))?.id).toBe(renewed.id);
    // The idle device has used nothing of what it has of the first period's bytes, and never will.
    const returned = 40_000_000 - 30_000_000;
    for (const config of [busy, idle]) await user.api.deleteConfig({ params: { id: config } });
    await node.sync();
    await node.report([
      { config: busy, down: 30_000_000, final: true },
      { config: idle, final: true },
    ]);
    expect((await activeOf(user))?.plan.traffic_limit).toBe(40_000_000 + returned);
    await world.proveLedger();
    const later = await device(user, 'later');
    await use(later, 50_000_000);
    expect(await balanceOf(user)).toBe(800_000 - 2 * 99_000);
    expect(await activeOf(user)).toMatchObject({ id: renewed.id, status: 'used_up' });
    await use(later, 60_000_000, 50_000_000);
    expect(await balanceOf(user)).toBe(800_000 - 2 * 99_000 - Number(chargeToman(10_000_000n, price)));
    await world.proveLedger();
  });

  test('a period that has not begun gives nothing yet: a device that only it covers pays until then', async () => {
    const user = await buyer('basic');
    for (const name of ['one', 'two']) await device(user, name);
    await changePlan(world, 'basic', { maxDevices: 3 });
    const { data } = await user.api.renewSubscription({ params: { id: (await activeOf(user))?.id ?? '' } });
    const third = await device(user, 'three');
    const before = await balanceOf(user);
    await use(third, 40_000_000);
    expect(before - (await balanceOf(user))).toBe(Number(chargeToman(40_000_000n, price)));
    expect((await user.api.cancelSubscription({ params: { id: data.subscription.id } })).data).toMatchObject({
      credited: 99_000,
    });
    await world.proveLedger();
  });

  test("another user's subscription is not found; another plan is refused", async () => {
    const user = await buyer('basic');
    const other = await buyer('premium');
    const id = (await activeOf(other))?.id ?? '';
    await expect(user.api.renewSubscription({ params: { id } })).rejects.toMatchObject({ code: 'not_found' });
    await expect(user.api.cancelSubscription({ params: { id } })).rejects.toMatchObject({ code: 'not_found' });
    const mine = (await activeOf(user))?.id ?? '';
    await user.api.purchaseSubscription({ body: { plan_id: 'premium' } });
    await expect(user.api.renewSubscription({ params: { id: mine } })).rejects.toMatchObject({
      code: 'plan_other_running',
    });
  });
});

describe('changing and cancelling', () => {
  test('an upgrade costs what was quoted: the price less the days that are left', async () => {
    const user = await buyer('basic');
    await pass(user, 10);
    const { data: quote } = await user.api.quoteSubscription({ query: { plan_id: 'premium' } });
    // Nineteen whole days are left: the twentieth has begun.
    expect(quote).toMatchObject({ kind: 'upgrade', price: 199_000, credit: 62_700, due: 136_300 });
    const buy = (expected_due: number) => user.api.purchaseSubscription({ body: { plan_id: 'premium', expected_due } });
    await expect(buy(136_299)).rejects.toMatchObject({ code: 'plan_price_changed', status: 409 });
    const { data } = await buy(136_300);
    expect(data).toMatchObject({ due: 136_300, balance: 701_000 - 136_300 });
    const { subscriptions } = (await user.api.listSubscriptions()).data;
    expect(subscriptions.map(({ status, credited }) => [status, credited])).toEqual([
      ['active', 0],
      ['replaced', 62_700],
    ]);
    await world.proveLedger();
  });

  test('cancelling returns what is left, by time or traffic, whichever is less; once', async () => {
    await changePlan(world, 'basic', { priceToman: 90_000n, trafficLimitBytes: 64_000_000n });
    const user = await buyer('basic');
    const config = await device(user, 'phone');
    // What lies in the device's lease is not used; 29 of 30 days are left.
    expect((await activeOf(user))?.refundable).toBe(87_000);
    await use(config, 16_000_000);
    // A quarter of the traffic has passed.
    const running = await activeOf(user);
    expect(running?.refundable).toBe(67_500);
    const before = await balanceOf(user);
    const cancel = () => user.api.cancelSubscription({ params: { id: running?.id ?? '' } });
    expect(await outcomes(Array.from({ length: 20 }, cancel))).toEqual({ won: 1, plan_over: 19 });
    expect(await balanceOf(user)).toBe(before + 67_500);
    expect(await activeOf(user)).toBeNull();
    const history = (await user.api.subscriptionHistory({ query: { per_page: 1 } })).data;
    expect(history).toMatchObject({
      subscriptions: [{ status: 'cancelled', credited: 67_500 }],
      pagination: { total: 1 },
    });
    const [line] = (await user.api.listWalletTransactions({ query: {} })).data.transactions;
    expect(line).toMatchObject({ type: 'subscription', amount: 67_500, description: 'بازگشت باقی‌ماندهٔ پلن «پایه»' });
    await world.proveLedger();
  });
});

test('purchases, renewals, cancellations and reports at once: the ledger and the allowances hold', async () => {
  await changePlan(world, 'basic', { priceToman: 1_000n, trafficLimitBytes: 40_000_000n });
  const user = await buyer('basic');
  const configs = [await device(user, 'a'), await device(user, 'b'), await device(user, 'c')];
  const ends = async () =>
    sql`UPDATE subscription SET ends_at = now() + interval '1 ms' WHERE user_id = ${user.id} AND ends_at > now() AND starts_at <= now()`.execute(
      world.deps.db,
    );
  for (let round = 0; round < 6; round += 1) {
    const id = (await activeOf(user))?.id;
    const calls = [
      node.report(configs.map((config) => ({ config, down: node.limitOf(config) }))),
      user.api.purchaseSubscription({ body: { plan_id: 'basic' } }),
      user.api.purchaseSubscription({ body: { plan_id: 'premium' } }),
      id ? user.api.renewSubscription({ params: { id } }) : undefined,
      id && round % 2 === 0 ? user.api.cancelSubscription({ params: { id } }) : undefined,
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

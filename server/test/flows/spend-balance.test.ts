import { limits } from '@raha/contract/limits.ts';
import { chargeToman, priceMilliTomanPerGb } from '@raha/contract/money.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { restoreService } from '../../src/modules/billing/restore-service.ts';
import { redeemGiftCard } from '../../src/modules/gift-cards/redeem-card.ts';
import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import { payAndVerify } from '../bank.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { confirmed } from '../money/bench.ts';
import { changePlan } from '../plans.ts';
import { openTestWorld, TEST_RATE, type TestUser, type TestWorld } from '../world.ts';

/**
 * The balance that is shown can be spent, to the toman, although a part of it is reserved on VPN servers (audit M1, M2,
 * M5; decision 52). What passes before a server hears that its lease was taken back is paid.
 */
const price = priceMilliTomanPerGb(3, TEST_RATE);
const GB = 1_000_000_000n;
const MB = 1_000_000;
const LEASE = limits.lease.idleBytes;
let world: TestWorld;
let node: FakeNode;
let receiver: TestUser;

beforeAll(async () => {
  world = await openTestWorld();
  node = await enrolFakeNode(world);
  receiver = await world.user();
  await changePlan(world, 'basic', { priceToman: 99_000n, trafficLimitBytes: 50n * GB, maxDevices: 2 });
});
afterEach(() => world.proveLedger());
afterAll(() => world.close());

async function device(user: TestUser, name: string): Promise<string> {
  const { data } = await user.api.createConfig({ body: { name, serverId: node.id } });
  await node.sync();
  return data.config.id;
}

const walletOf = async (user: TestUser) => (await user.api.getWallet()).data;

async function sendAll(user: TestUser): Promise<number> {
  const { balance } = await walletOf(user);
  await transferMoney(world.deps, {
    fromUserId: user.id,
    toEmail: receiver.email,
    amountToman: balance,
    ...confirmed,
  });
  return balance;
}

async function redeem(user: TestUser): Promise<void> {
  await redeemGiftCard(world.deps, { userId: user.id, code: await world.giftCard(100) });
  await restoreService(world.deps, user.id);
}

async function meterOf(config: string) {
  const { rows } = await sql<{ billed: bigint; unpaid: bigint; unbilled: bigint; open: bigint }>`
    SELECT billed_bytes AS billed, unpaid_bytes AS unpaid, unbilled_bytes AS unbilled, lease_limit_bytes - billed_bytes AS open
    FROM meter WHERE config_id = ${config}
  `.execute(world.deps.db);
  return rows[0];
}

describe('M1 what lies in leases can be spent', () => {
  test('a plan for exactly the balance is bought while a device is connected, and pays from then on', async () => {
    const user = await world.user({ usdCents: 125 });
    const config = await device(user, 'phone');
    await node.report([{ config, down: 3 * MB }]);
    await node.sync();
    const { balance, reserved } = await walletOf(user);
    expect(reserved).toBeGreaterThan(0);
    await changePlan(world, 'basic', { priceToman: BigInt(balance) });
    const { data: quote } = await user.api.quoteSubscription({ query: { plan_id: 'basic' } });
    expect(quote).toMatchObject({ due: balance, wallet: balance });
    await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
    expect(await walletOf(user)).toMatchObject({ balance: 0, reserved: 0 });
    // What passes before the node hears of the plan is the plan's.
    await node.report([{ config, down: 7 * MB }]);
    expect((await user.api.listSubscriptions()).data.activeSubscription?.traffic_used).toBe(4 * MB);
    await node.sync();
    expect(node.limitOf(config)).toBeGreaterThan(7 * MB);
    await changePlan(world, 'basic', { priceToman: 99_000n });
  });

  test('the whole balance is sent to somebody else, and the node passes nothing more', async () => {
    const user = await world.user({ usdCents: 100 });
    const config = await device(user, 'phone');
    await node.report([{ config, down: 5 * MB }]);
    const sent = await sendAll(user);
    expect(sent).toBe(80_000 - Number(chargeToman(BigInt(5 * MB), price)));
    expect(await walletOf(user)).toMatchObject({ balance: 0, reserved: 0 });
    await node.sync();
    expect(node.limitOf(config)).toBe(5 * MB);
  });

  test('more than the balance is refused, and leaves every lease as it was', async () => {
    const user = await world.user({ usdCents: 100 });
    const config = await device(user, 'phone');
    const before = { limit: node.limitOf(config), wallet: await walletOf(user) };
    const { balance } = before.wallet;
    const request = { fromUserId: user.id, toEmail: receiver.email, amountToman: balance + 1, ...confirmed };
    await expect(transferMoney(world.deps, request)).rejects.toMatchObject({ code: 'insufficient_balance' });
    expect((await node.sync()).kind).toBe('unchanged');
    expect({ limit: node.limitOf(config), wallet: await walletOf(user) }).toEqual(before);
  });

  test('an amount that the free money covers recalls nothing', async () => {
    const user = await world.user({ usdCents: 100 });
    const config = await device(user, 'phone');
    const limit = node.limitOf(config);
    const request = { fromUserId: user.id, toEmail: receiver.email, amountToman: 10_000, ...confirmed };
    await transferMoney(world.deps, request);
    expect((await node.sync()).kind).toBe('unchanged');
    expect(node.limitOf(config)).toBe(limit);
  });

  test('what is left after a transfer is shared out again among the devices', async () => {
    const user = await world.user({ usdCents: 100 });
    const configs = [await device(user, 'phone'), await device(user, 'laptop')];
    const { balance, reserved } = await walletOf(user);
    const request = { fromUserId: user.id, toEmail: receiver.email, amountToman: balance - 40, ...confirmed };
    await transferMoney(world.deps, request);
    expect(reserved).toBeGreaterThan(40);
    expect(await walletOf(user)).toMatchObject({ balance: 40 });
    await node.sync();
    const granted = configs.reduce((sum, config) => sum + node.limitOf(config), 0);
    expect(granted).toBeGreaterThan(0);
    expect(chargeToman(BigInt(granted), price)).toBeLessThanOrEqual(40n);
  });
});

describe('what passes before the node hears of it', () => {
  /** Everything is sent away while the node is out of reach; it lets pass what it may. */
  async function passUnheard(bytes: number): Promise<{ user: TestUser; config: string }> {
    const user = await world.user({ usdCents: 100 });
    const config = await device(user, 'phone');
    await node.report([{ config, down: 1 * MB }]);
    await node.sync();
    await sendAll(user);
    await node.report([{ config, down: bytes, leaseVersion: 1 }]);
    return { user, config };
  }

  test('is not billed while there is no money, never beyond the old lease, and paid by the next money', async () => {
    const { user, config } = await passUnheard(LEASE + 14 * MB);
    expect(await meterOf(config)).toEqual({
      billed: BigInt(1 * MB),
      unpaid: BigInt(LEASE - MB),
      unbilled: BigInt(14 * MB),
      open: 0n,
    });
    expect(await walletOf(user)).toMatchObject({ balance: 0, reserved: 0 });
    await redeem(user);
    await node.sync();
    const meter = await meterOf(config);
    expect(meter).toMatchObject({ billed: BigInt(LEASE), unpaid: 0n, unbilled: BigInt(14 * MB) });
    const paid = Number(chargeToman(BigInt(LEASE), price)) - Number(chargeToman(BigInt(MB), price));
    expect((await walletOf(user)).balance).toBe(80_000 - paid);
    // The new lease begins where the node has counted to.
    expect(node.limitOf(config)).toBeGreaterThan(LEASE + 14 * MB);
  });

  test('a report that arrives twice, or late, changes nothing', async () => {
    const { config } = await passUnheard(9 * MB);
    const before = await meterOf(config);
    await node.report([{ config, down: 9 * MB, leaseVersion: 1 }]);
    await node.report([{ config, down: 4 * MB, leaseVersion: 1 }]);
    expect(await meterOf(config)).toEqual(before);
    expect(before).toMatchObject({ unpaid: BigInt(8 * MB), unbilled: 0n });
  });

  test('once the node has confirmed the lower limit, more is its own fault and is not billed', async () => {
    const { config } = await passUnheard(9 * MB);
    await node.sync();
    await node.report([{ config, down: 9 * MB }]);
    await node.report([{ config, down: 12 * MB }]);
    expect(await meterOf(config)).toMatchObject({ unpaid: BigInt(8 * MB), unbilled: BigInt(3 * MB) });
  });

  test('is paid even if the device was deleted meanwhile', async () => {
    const { user, config } = await passUnheard(9 * MB);
    await user.api.deleteConfig({ params: { id: config } });
    await node.sync();
    await node.report([{ config, down: 10 * MB, leaseVersion: 1, final: true }]);
    await redeem(user);
    expect(await meterOf(config)).toMatchObject({ billed: BigInt(10 * MB), unpaid: 0n, open: 0n });
  });
});

describe('M2 refunds', () => {
  test('the whole payment goes back although a device is connected, and what is shown can be refunded', async () => {
    const user = await world.user();
    await sendAll(user);
    const id = await payAndVerify(user, 'zarinpal', 50_000);
    await device(user, 'phone');
    const { data } = await user.api.getPayment({ params: { id } });
    expect(data.payment).toMatchObject({ refundable: true, refundable_amount: 50_000, refund_arrival_days: 3 });
    const days = (Date.parse(data.payment.refundable_until ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThanOrEqual(7);
    await user.api.refundPayment({ params: { id }, body: { amount: 50_000 } });
    expect(await walletOf(user)).toMatchObject({ balance: 0, reserved: 0 });
  });
});

describe('M5 plans that end', () => {
  test('a cancelled plan credits all that has not passed, whatever lies in leases', async () => {
    const user = await world.user({ usdCents: 200 });
    await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
    const config = await device(user, 'phone');
    // A fast device: its lease is long.
    await node.report([{ config, down: 10 * MB }]);
    await node.sync();
    const { data } = await user.api.listSubscriptions();
    const plan = data.activeSubscription;
    const left = (99_000n * (50n * GB - BigInt(10 * MB))) / (50n * GB);
    const days = (99_000n * 29n) / 30n;
    expect(plan?.refundable).toBe(Number(left < days ? left : days));
    const answer = await user.api.cancelSubscription({ params: { id: plan?.id ?? '' } });
    expect(answer.data.credited).toBe(plan?.refundable);
    // The wallet pays from now on, also what passes before the node hears of it.
    await node.report([{ config, down: 15 * MB }]);
    const { balance } = await walletOf(user);
    expect(balance).toBe(answer.data.balance - Number(chargeToman(BigInt(5 * MB), price)));
  });

  test('another plan credits all that has not passed of the running one, as its quote says', async () => {
    const user = await world.user({ usdCents: 400 });
    await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
    const config = await device(user, 'phone');
    for (let used = 0; used < 200 * MB; ) {
      used = Math.min(200 * MB, node.limitOf(config));
      await node.report([{ config, down: used }]);
      await node.sync();
    }
    const { data: quote } = await user.api.quoteSubscription({ query: { plan_id: 'premium' } });
    expect(quote.credit).toBe(Number((99_000n * 29n) / 30n));
    const { data } = await user.api.purchaseSubscription({
      body: { plan_id: 'premium', payment_method: 'wallet', expected_due: quote.due },
    });
    expect(data.due).toBe(quote.due);
  });
});

test('M6 a plan that waits can be cancelled for its whole price, or started when nothing runs', async () => {
  const user = await world.user({ usdCents: 400 });
  await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
  const running = (await user.api.listSubscriptions()).data.activeSubscription?.id ?? '';
  await user.api.renewSubscription({ params: { id: running }, body: { payment_method: 'wallet' } });
  await user.api.cancelSubscription({ params: { id: running } });
  const { data } = await user.api.listSubscriptions();
  const waiting = data.subscriptions.find(({ status }) => status === 'scheduled');
  expect(waiting).toMatchObject({ refundable: 99_000 });
  const { balance } = await walletOf(user);
  const { data: quote } = await user.api.quoteSubscription({ query: { plan_id: 'basic' } });
  expect(quote).toMatchObject({ kind: 'purchase', credit: 99_000, due: 0 });
  await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
  expect(await walletOf(user)).toMatchObject({ balance });
  const begun = (await user.api.listSubscriptions()).data.activeSubscription?.id ?? '';
  await user.api.renewSubscription({ params: { id: begun }, body: { payment_method: 'wallet' } });
  const again = (await user.api.listSubscriptions()).data.subscriptions.find(({ status }) => status === 'scheduled');
  const answer = await user.api.cancelSubscription({ params: { id: again?.id ?? '' } });
  expect(answer.data).toMatchObject({ credited: 99_000, balance });
  expect((await user.api.listSubscriptions()).data.activeSubscription?.id).toBe(begun);
});

test('M7 a plan bought in a trial begins when the trial ends, as its quote says', async () => {
  const user = await world.user({ usdCents: 400 });
  const endTrialIn = (days: number) =>
    sql`UPDATE users SET trial_ends_at = now() + make_interval(days => ${days}) WHERE id = ${user.id}`.execute(
      world.deps.db,
    );
  await endTrialIn(3);
  const { data: quote } = await user.api.quoteSubscription({ query: { plan_id: 'basic' } });
  const { data } = await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
  const { trialEndsAt } = (await user.api.me()).user;
  expect(quote.startDate).toBe(trialEndsAt);
  expect(data.subscription).toMatchObject({ status: 'scheduled', startDate: trialEndsAt, refundable: 99_000 });
  await endTrialIn(0);
  await sql`
    UPDATE subscription SET starts_at = starts_at - interval '3 days', ends_at = ends_at - interval '3 days' WHERE user_id = ${user.id}
  `.execute(world.deps.db);
  const config = await device(user, 'phone');
  await node.report([{ config, down: 10 * MB }]);
  const { activeSubscription } = (await user.api.listSubscriptions()).data;
  expect(activeSubscription).toMatchObject({ traffic_used: 10 * MB, daysRemaining: 30 });
});

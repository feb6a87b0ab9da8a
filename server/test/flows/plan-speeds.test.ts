import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { changePlan } from '../plans.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** The greatest speed of a plan, from its version to the leases that nodes get (decision 136). */
const GB = 1_000_000_000;
let world: TestWorld;
let node: FakeNode;

beforeAll(async () => {
  world = await openTestWorld();
  node = await enrolFakeNode(world);
});
beforeEach(async () => {
  const terms = { priceToman: 99_000n, trafficLimitBytes: BigInt(GB), maxDevices: 1 };
  await changePlan(world, 'basic', { ...terms, maxMbit: 20 });
  await changePlan(world, 'premium', { priceToman: 199_000n, maxMbit: undefined });
});
afterEach(() => world.proveLedger());
afterAll(() => world.close());

const buy = async (user: TestUser, plan_id = 'basic') =>
  (await user.api.purchaseSubscription({ body: { plan_id } })).data.subscription;
const speedOf = (config: string) => node.peers.get(config)?.lease?.maxMbit;

async function device(user: TestUser, name: string): Promise<string> {
  const { data } = await user.api.createConfig({ body: { name, serverId: node.id } });
  await node.settle();
  return data.config.id;
}

test('the shop, the offer and what was bought say it; a plan without a limit says nothing', async () => {
  const user = await world.user({ usdCents: 1000 });
  const { plans } = (await user.api.listPlans()).data;
  const [basic, premium] = ['basic', 'premium'].map((id) => plans.find((plan) => plan.id === id));
  expect([basic?.maxMbit, premium?.maxMbit]).toEqual([20, null]);
  expect(basic?.features).toContain('سرعت تا ۲۰ مگابیت بر ثانیه');
  expect(premium?.features.join()).not.toContain('مگابیت');
  expect((await buy(user)).plan.max_mbit).toBe(20);
});

test('a plan is bought for one device: its speed is that of this one, and both are free again without it', async () => {
  const user = await world.user({ usdCents: 1000 });
  const [covered, other] = [await device(user, 'گوشی'), await device(user, 'تبلت')];
  expect([speedOf(covered), speedOf(other)]).toEqual([undefined, undefined]);
  const { id } = await buy(user);
  await node.sync();
  expect([speedOf(covered), speedOf(other)]).toEqual([20, undefined]);
  // A node that has lost everything is told again.
  node.applied = 0;
  await node.sync();
  expect([speedOf(covered), speedOf(other)]).toEqual([20, undefined]);
  await user.api.cancelSubscription({ params: { id } });
  await node.sync();
  expect([speedOf(covered), speedOf(other)]).toEqual([undefined, undefined]);
});

test('a node hears of it with each lease in which bytes of the plan are left; those of the wallet have no limit', async () => {
  const user = await world.user({ usdCents: 1000 });
  await buy(user);
  const config = await device(user, 'گوشی');
  expect(speedOf(config)).toBe(20);
  const first = node.peers.get(config)?.lease;
  const passed = { config, down: node.limitOf(config) };
  const { leases } = await node.report([passed]);
  expect(leases).toMatchObject([{ config, lease: { version: (first?.version ?? 0) + 1, maxMbit: 20 } }]);
  // The answer was lost: the same lease comes again, with its speed.
  const again = await node.report([{ ...passed, leaseVersion: first?.version ?? 0 }]);
  expect(again.leases[0]?.lease.maxMbit).toBe(20);
  for (let used = 0; used <= GB; ) {
    expect(speedOf(config)).toBe(20);
    used = node.limitOf(config);
    await node.report([{ config, down: used }]);
  }
  expect(speedOf(config)).toBeUndefined();
});

test('another plan has its own at once; another version changes nothing that is bought', async () => {
  const user = await world.user({ usdCents: 2000 });
  const config = await device(user, 'گوشی');
  await buy(user);
  await node.sync();
  await changePlan(world, 'basic', { maxMbit: 5 });
  await node.report([{ config, down: node.limitOf(config) }]);
  expect(speedOf(config)).toBe(20);
  await buy(user, 'premium');
  await node.sync();
  expect(speedOf(config)).toBeUndefined();
  expect((await buy(user)).plan.max_mbit).toBe(5);
  await node.sync();
  expect(speedOf(config)).toBe(5);
});

test('who was shown another speed does not buy', async () => {
  const user = await world.user({ usdCents: 1000 });
  const { plan } = (await user.api.quoteSubscription({ query: { plan_id: 'basic' } })).data;
  await changePlan(world, 'basic', { maxMbit: 10 });
  const body = { plan_id: 'basic', ...(plan.version ? { expected_version: plan.version } : {}) };
  const refused = user.api.purchaseSubscription({ body });
  await expect(refused).rejects.toMatchObject({ code: 'plan_changed' });
  await expect(refused).rejects.toThrow('۱ دستگاه، تا ۱۰ مگابیت بر ثانیه');
});

test('the speed of a version never changes, and is one that a node understands', async () => {
  const { db } = world.deps;
  await expect(sql`UPDATE plan_version SET max_mbit = 1`.execute(db)).rejects.toThrow('stay as they were');
  for (const maxMbit of [0, 10_001])
    await expect(changePlan(world, 'basic', { maxMbit })).rejects.toThrow('plan_version_max_mbit_check');
});

import { limits } from '@raha/contract/limits.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { eventually, openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** The end of a lease that cannot be raised: when a refill is denied, when the user is notified, and when it must wait. */
let world: TestWorld;
let node: FakeNode;
beforeAll(async () => {
  world = await openTestWorld();
  node = await enrolFakeNode(world);
});
afterAll(() => world.close());

async function newConfig(user: TestUser, name: string): Promise<string> {
  const { data } = await user.api.createConfig({ body: { name, serverId: node.id } });
  await node.settle();
  return data.config.id;
}

/** Uses a config until nothing is left of its lease, as often as it is raised; returns the last reply. */
async function useUp(config: string) {
  for (let used = -1; used < node.limitOf(config); ) {
    used = node.limitOf(config);
    await node.report([{ config, down: used }]);
  }
  const reply = await node.report([{ config, down: node.limitOf(config) }]);
  return reply.leases.find((entry) => entry.config === config);
}

async function cutsOf(user: TestUser): Promise<number> {
  const { rows } = await sql`SELECT FROM notification WHERE user_id = ${user.id} AND kind = 'service_cut'`.execute(
    world.deps.db,
  );
  return rows.length;
}

async function withoutRate(work: () => Promise<void>): Promise<void> {
  const rate = world.deps.exchangeRate.current;
  Object.assign(world.deps.exchangeRate, { current: async () => undefined });
  await work().finally(() => Object.assign(world.deps.exchangeRate, { current: rate }));
}

test('without an exchange rate, a user with money is not denied: the node keeps requesting and gets a lease once there is a rate', async () => {
  const user = await world.user({ usdCents: 500 });
  const config = await newConfig(user, 'گوشی');
  await withoutRate(async () => {
    expect(await useUp(config)).toMatchObject({ refillDenied: false });
  });
  const used = node.limitOf(config);
  const reply = await node.report([{ config, down: used }]);
  expect(reply.leases).toMatchObject([{ config, refillDenied: false }]);
  expect(node.limitOf(config)).toBeGreaterThan(used);
  expect(await cutsOf(user)).toBe(0);
  await world.proveLedger();
});

test('without an exchange rate, an empty wallet is still denied', async () => {
  const user = await world.user({ usdCents: 1 });
  const config = await newConfig(user, 'تبلت');
  await useUp(config);
  await withoutRate(async () => {
    expect(await useUp(config)).toMatchObject({ refillDenied: true });
  });
});

test('an idle device’s lease goes to the one in use; when that is used up as well, the user is notified', async () => {
  const user = await world.user({ usdCents: 2 });
  const [idle, busy] = [await newConfig(user, 'لپ‌تاپ'), await newConfig(user, 'گوشی')];
  const held = node.limitOf(idle);
  await sql`UPDATE meter SET last_used_at = now() - interval '1 minute' WHERE config_id = ${idle}`.execute(
    world.deps.db,
  );
  expect(held).toBe(limits.lease.idleBytes);
  await useUp(busy);
  const before = node.limitOf(busy);
  await eventually(async () => {
    await node.sync();
    return node.limitOf(idle) < held || undefined;
  });
  // The node applies the lower lease and reports it; the returned bytes go to the other device.
  await node.report([{ config: idle }]);
  await eventually(async () => {
    await node.sync();
    return node.limitOf(busy) > before || undefined;
  });
  expect(node.limitOf(idle)).toBe(limits.lease.minBytes);
  await useUp(busy);
  expect(node.limitOf(busy) + node.limitOf(idle)).toBeGreaterThan(before + held - 2 * limits.lease.exhaustedBelowBytes);
  expect(await cutsOf(user)).toBe(1);
  await world.proveLedger();
});

test('D6 idle devices give up their money before the one in use has used up its own', async () => {
  const user = await world.user({ usdCents: 2 });
  const [idle, busy] = [await newConfig(user, 'لپ‌تاپ'), await newConfig(user, 'گوشی')];
  await sql`UPDATE meter SET last_used_at = now() - interval '1 minute' WHERE config_id = ${idle}`.execute(
    world.deps.db,
  );
  const MB = 1_000_000;
  // Until a refill is refused, with a few megabytes still to go.
  for (let used = 0; node.limitOf(busy) - 5 * MB > used; ) {
    used = node.limitOf(busy) - 5 * MB;
    await node.report([{ config: busy, down: used }]);
  }
  const before = node.limitOf(busy);
  await eventually(async () => {
    await node.sync();
    return node.limitOf(idle) === limits.lease.minBytes || undefined;
  });
  await node.report([{ config: idle }]);
  // The device in use has not stopped for a moment, and goes on with that money.
  await node.report([{ config: busy, down: before - MB }]);
  expect(node.limitOf(busy)).toBeGreaterThan(before + 10 * MB);
  expect(await cutsOf(user)).toBe(0);
  await world.proveLedger();
});

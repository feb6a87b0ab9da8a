import { afterAll, beforeAll, expect, test } from 'vitest';
import { cancelPlan } from '../../src/modules/plan-sales/buy-plan.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode } from '../fake-node.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

/** Found by seed 20261123 of T-M1: a plan in use when the server's clock is corrected by an hour. */
const clock = manualClock(new Date('2026-11-20T10:00:00Z'));
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
afterAll(async () => {
  await world.close();
});

test('a plan that has given bytes and is then cancelled at a time before it began is no violation', async () => {
  const node = await enrolFakeNode(world);
  const user = await world.user({ usdCents: 1000 });
  await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
  const { data } = await user.api.createConfig({ body: { name: 'phone', serverId: node.id } });
  await node.settle();
  await node.report([{ config: data.config.id, down: 1_000_000 }]);
  const { activeSubscription } = (await user.api.listSubscriptions()).data;

  clock.advance(-3_600_000);
  // Not by a call: a session that begins in the future is invalid.
  await cancelPlan(world.deps, { userId: user.id, periodId: activeSubscription?.id ?? '', idempotent: undefined });
  await expect(world.proveLedger()).resolves.toBeUndefined();
});

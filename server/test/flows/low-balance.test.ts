import { afterAll, beforeAll, expect, test } from 'vitest';
import { bookAndWarn } from '../../src/modules/billing/book-usage.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** How long the wallet lasts at the pace of the last 24 hours: on the dashboard, and as one notification per top-up. */
const HOUR = 3_600_000;
/** 3 cents per GB at 80,000 toman per dollar. */
const BYTES_PER_TOMAN = 1e9 / 2_400;
// 12:00 in Tehran.
const clock = manualClock(new Date('2026-11-21T08:30:00Z'));
let world: TestWorld;
let node: FakeNode;
beforeAll(async () => {
  world = await openTestWorld({ clock });
  node = await enrolFakeNode(world);
});
afterAll(() => world.close());

interface Spender {
  /** Access tokens are over in a quarter of an hour. */
  api(): Promise<TestUser['api']>;
  spend(toman: number): Promise<void>;
}

async function newUser(): Promise<Spender> {
  // It is offline after an hour without one.
  await node.report([]);
  const user = await world.user({ usdCents: 100 });
  const { sessionId = '' } = (await world.deps.tokens.read(user.token)) ?? {};
  const { config } = (await user.api.createConfig({ body: { name: 'گوشی', serverId: node.id } })).data;
  await node.settle();
  let used = 0;
  return {
    api: async () => world.client(await world.deps.tokens.issue({ userId: user.id, sessionId })),
    async spend(toman) {
      const wanted = used + Math.ceil(toman * BYTES_PER_TOMAN);
      while (used < wanted) {
        used = Math.min(wanted, node.limitOf(config.id));
        await node.report([{ config: config.id, down: used }]);
      }
      clock.advance(HOUR);
      await bookAndWarn(world.deps);
    },
  };
}

const hoursOf = async ({ api }: Spender) =>
  (await (await api()).listNotifications()).data.notifications.filter(
    ({ kind, message }) => kind === 'low_balance' && message.includes('ساعت گذشته'),
  );

test('nothing is said without a pace; with one, the hours', async () => {
  const user = await newUser();
  expect((await (await user.api()).getDashboard()).data.outlook).toBe(null);
  await user.spend(20_000);
  expect((await (await user.api()).getDashboard()).data).toMatchObject({
    outlook: { hours: 72, isLow: false, day_charged: 20_000 },
    recommendations: [],
  });
  await user.spend(28_000);
  const { data } = await (await user.api()).getDashboard();
  expect(data.outlook).toMatchObject({ hours: 16, isLow: true, day_charged: 48_000 });
  expect(data.recommendations).toMatchObject([{ kind: 'top_up' }]);
  expect(data.recommendations[0]?.message).toContain('۱۶ ساعت');
  expect(await hoursOf(user)).toEqual([]);
  // A day later the pace is gone, and with it the hours.
  clock.advance(25 * HOUR);
  expect((await (await user.api()).getDashboard()).data.outlook).toBe(null);
});

test('one notification per top-up when it lasts for hours only', async () => {
  const user = await newUser();
  await user.spend(62_000);
  const [warning] = await hoursOf(user);
  expect(warning?.message).toContain('برای حدود ۶ ساعت');
  await user.spend(100);
  expect(await hoursOf(user)).toHaveLength(1);
  await (await user.api()).processGiftCard({ body: { gift_card_code: await world.giftCard(20) } });
  await user.spend(17_000);
  expect(await hoursOf(user)).toHaveLength(2);
  await world.proveLedger();
});

import { type RealtimeEvent, realtimeEvent } from '@raha/contract/public/realtime.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { learnNodes, readReportedUsage, type UsagePanel } from '../../src/app/spread-usage.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { costOf } from '../scale/counters.ts';
import { eventually, openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** Usage reaches an open panel with its figures, and costs the server nothing where no panel is open. */
let world: TestWorld;
let user: TestUser;
let node: FakeNode;
let other: FakeNode;
let config: string;

beforeAll(async () => {
  world = await openTestWorld({ connections: 1 });
  node = await enrolFakeNode(world);
  other = await enrolFakeNode(world);
  user = await world.user({ usdCents: 100 });
  config = (await user.api.createConfig({ body: { name: 'گوشی', serverId: node.id } })).data.config.id;
  await node.settle();
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

test('an event of usage has the figures that the calls have', async () => {
  const panel = await openPanel();
  await node.report([{ config, up: 1_000_000, down: 9_000_000 }]);
  const event = await eventually(() => panel.events.find((each) => each.type === 'usage'));
  const { data } = await user.api.getWallet();
  expect(event).toEqual({
    type: 'usage',
    configId: config,
    uploaded: 1_000_000,
    downloaded: 9_000_000,
    lastUsed: (await user.api.listConfigs()).data.configs[0]?.lastUsed,
    balance: data.balance,
    stopped: false,
  });
  panel.close();
});

test('the report that ends the last money says that the config is stopped, and one after a charge that it is not', async () => {
  const panel = await openPanel();
  const lastUsage = () => panel.events.findLast((event) => event.type === 'usage');
  const useUp = async () => {
    await node.sync();
    await node.report([{ config, up: 1_000_000, down: node.limitOf(config) - 1_000_000 }]);
    return lastUsage()?.stopped;
  };
  // A lease follows another until the money is gone. The event follows the report, so one that is early is asked again.
  await expect.poll(useUp, { timeout: 30_000 }).toBe(true);
  await expect
    .poll(async () => (await user.api.listConfigs()).data.configs[0]?.service, { timeout: 30_000 })
    .toBe('no_balance');

  await user.api.processGiftCard({ body: { gift_card_code: await world.giftCard(100) } });
  const goOn = async () => {
    await node.sync();
    await node.report([{ config, up: 1_000_000, down: node.limitOf(config) - 10_000_000 }]);
    return lastUsage()?.stopped;
  };
  await expect.poll(goOn, { timeout: 30_000 }).toBe(false);
  panel.close();
});

test('a report concerns the panels with a config on its node, and costs nothing without them', async () => {
  const panel: UsagePanel = { userId: user.id, nodeIds: undefined };
  expect((await costOf(world.deps.db, () => readReportedUsage(world.deps, [], node.id))).queries).toBe(0);
  await learnNodes(world.deps, [panel]);
  expect([...(panel.nodeIds ?? [])]).toEqual([node.id]);
  expect((await costOf(world.deps.db, () => readReportedUsage(world.deps, [panel], other.id))).queries).toBe(0);
  const many = Array.from({ length: 30 }, () => ({ ...panel }));
  expect((await costOf(world.deps.db, () => readReportedUsage(world.deps, many, node.id))).queries).toBeLessThanOrEqual(
    2,
  );
});

test('a config on another server brings its reports', async () => {
  const panel = await openPanel();
  const second = (await user.api.createConfig({ body: { name: 'لپ‌تاپ', serverId: other.id } })).data.config.id;
  await other.settle();
  await other.report([{ config: second, down: 5_000 }]);
  await eventually(() => panel.events.find((event) => event.type === 'usage' && event.configId === second));
  panel.close();
});

/** The events that an open panel gets. */
async function openPanel() {
  const leave = new AbortController();
  const response = await fetch(`${world.origin}${API_BASE}/realtime`, {
    headers: { authorization: `Bearer ${user.token}` },
    signal: leave.signal,
  });
  const events: RealtimeEvent[] = [];
  const read = async () => {
    let text = '';
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      text += part;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks)
        if (block.startsWith('data: ')) events.push(z.parse(realtimeEvent, JSON.parse(block.slice(6))));
    }
  };
  void read().catch(() => undefined);
  await eventually(() => events.find(({ type }) => type === 'hello'));
  return { events, close: () => leave.abort() };
}

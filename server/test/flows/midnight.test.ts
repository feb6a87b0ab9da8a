import { afterAll, beforeAll, expect, test } from 'vitest';
import { manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { openTestWorld, PASSWORD, type TestUser, type TestWorld, withPassword } from '../world.ts';

/** Tehran's day begins at half past an hour of UTC: traffic after midnight belongs to the new day wherever it is shown. */
const MEGABYTE = 1_000_000;
const NIGHT = '2026-11-20';
const MORNING = '2026-11-21';
// 23:55 in Tehran.
const clock = manualClock(new Date(`${NIGHT}T20:25:00Z`));

let world: TestWorld;
let node: FakeNode;
let user: TestUser;
beforeAll(async () => {
  world = await openTestWorld({ clock });
  node = await enrolFakeNode(world);
  user = await withPassword(await world.user());
  const { config } = (await user.api.createConfig({ body: { name: 'گوشی', serverId: node.id, keepKey: true } })).data;
  await node.settle();
  await node.report([{ config: config.id, down: 3 * MEGABYTE }]);
  clock.advance(10 * 60_000);
  await node.report([{ config: config.id, down: 8 * MEGABYTE }]);
  // And an hour later, when both hours are over.
  clock.advance(60 * 60_000);
  await node.report([{ config: config.id, down: 9 * MEGABYTE }]);
  const login = { email: user.email, password: PASSWORD };
  const token = (await world.client().login({ body: login })).token as string;
  user = { ...user, token, api: world.client(token) };
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

test('the dashboard counts today’s traffic from midnight on', async () => {
  const { quickStats, charts } = (await user.api.getDashboard()).data;
  expect(quickStats).toMatchObject({ todayTraffic: 6 * MEGABYTE, weeklyTraffic: 9 * MEGABYTE });
  expect(charts.trafficTrend.data.slice(-2).map(({ value }) => value)).toEqual([3 * MEGABYTE, 6 * MEGABYTE]);
});

test('the statement and the wallet’s chart agree about the day', async () => {
  const { days } = (await user.api.getStatement({ query: {} })).data;
  expect(days.map(({ day, bytes, usage }) => [day, bytes, usage])).toEqual([
    [MORNING, 6 * MEGABYTE, 14],
    [NIGHT, 3 * MEGABYTE, 7],
  ]);
  const chart = (await user.api.getWalletChart({ query: { period: '7d' } })).data;
  expect(chart.labels.slice(-2)).toEqual([NIGHT, MORNING]);
  expect(chart.withdrawals.slice(-2)).toEqual([7, 14]);
});

test('by hour: every group is an hour of Tehran and holds the traffic of that hour', async () => {
  const { groups } = (await user.api.getTrafficStats({ query: { groupBy: 'hour', period: '2d' } })).data;
  expect(groups.at(0)?.label).toBe('2026-11-19T20:30:00Z');
  expect(groups.filter(({ down }) => down > 0).map(({ label, down }) => [label, down])).toEqual([
    ['2026-11-20T19:30:00Z', 3 * MEGABYTE],
    ['2026-11-20T20:30:00Z', 5 * MEGABYTE],
    ['2026-11-20T21:30:00Z', MEGABYTE],
  ]);
});

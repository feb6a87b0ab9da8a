import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

const MEGABYTE = 1_000_000;

let world: TestWorld;
let node: FakeNode;
let user: TestUser;
let config: string;
beforeAll(async () => {
  world = await openTestWorld();
  node = await enrolFakeNode(world);
  user = await world.user();
  const { data } = await user.api.createConfig({ body: { name: 'گوشی', serverId: node.id, keepKey: true } });
  config = data.config.id;
  await node.settle();
  await node.report([{ config, up: 2 * MEGABYTE, down: 8 * MEGABYTE }]);
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

test('the first page: balance, traffic, subscription, configs, movements, week and log', async () => {
  const { data } = await user.api.getDashboard();
  expect(data.user).toMatchObject({ id: user.id, balance: 400_000 - 24 });
  expect(data.quickStats).toEqual({
    totalTraffic: 10 * MEGABYTE,
    todayTraffic: 10 * MEGABYTE,
    weeklyTraffic: 10 * MEGABYTE,
    monthlyTraffic: 10 * MEGABYTE,
    since: null,
  });
  expect(data.subscriptionStatus).toMatchObject({
    type: 'perpetual',
    status: 'active',
    isActive: true,
    devices_used: 1,
  });
  expect(data.activeConfigs.map(({ id }) => id)).toEqual([config]);
  expect(data.recentTransactions.map(({ type }) => type)).toEqual(['usage', 'gift_card']);
  expect(data.charts.trafficTrend.labels).toHaveLength(7);
  expect(data.charts.trafficTrend.data.at(-1)?.value).toBe(10 * MEGABYTE);
  expect(data.recentLogs.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['sign_in', 'config_created', 'wallet']),
  );
});

test('the same page under its other name', async () => {
  const answer = await fetch(`${world.origin}/api/v1/dashboard`, {
    headers: { authorization: `Bearer ${user.token}` },
  });
  expect(((await answer.json()) as { data: unknown }).data).toEqual((await user.api.getDashboard()).data);
});

test('a new window starts at zero and loses no byte', async () => {
  const own = await world.user();
  const { data } = await own.api.createConfig({ body: { name: 'لپ‌تاپ', serverId: node.id, keepKey: true } });
  const id = data.config.id;
  await node.settle();
  await node.report([{ config: id, down: 3 * MEGABYTE }]);
  const before = await own.api.getWallet();
  const reset = (await own.api.resetDashboardTraffic()).data.quickStats;
  expect(reset).toMatchObject({ totalTraffic: 0, todayTraffic: 3 * MEGABYTE, since: expect.any(String) });
  await node.report([{ config: id, down: 4 * MEGABYTE }]);
  const { quickStats, trafficTrend, periodTraffic } = (await own.api.getDashboardTraffic({ query: {} })).data;
  expect(quickStats).toMatchObject({ totalTraffic: MEGABYTE, todayTraffic: 4 * MEGABYTE });
  expect([trafficTrend.labels.length, periodTraffic]).toEqual([7, 4 * MEGABYTE]);
  expect((await own.api.getConfig({ params: { id } })).data.config.totalTraffic).toBe(4 * MEGABYTE);
  expect((await own.api.getWallet()).data.balance).toBe(before.data.balance - 2);
});

describe('figures', () => {
  test('traffic by hour, day, config and server sums to the same', async () => {
    for (const groupBy of ['hour', 'day', 'config', 'server'] as const) {
      const { total, groups } = (await user.api.getTrafficStats({ query: { groupBy, period: '2d' } })).data;
      expect(total).toBe(10 * MEGABYTE);
      expect(groups.reduce((sum, { up, down }) => sum + up + down, 0)).toBe(total);
      expect(groups.reduce((sum, { charged }) => sum + charged, 0)).toBe(24);
    }
  });
  test('money, servers, current status, performance, recommendations and log', async () => {
    const money = (await user.api.getFinancialStats({ query: {} })).data;
    expect(money).toMatchObject({ totalDeposits: 400_000, totalWithdrawals: 24, usageCost: 24 });
    const servers = (await user.api.getServerStats()).data;
    expect(servers).toMatchObject({ total: 1, online: 1, countries: 1 });
    expect(servers.servers[0]).toMatchObject({ id: node.id, configs: 1, traffic: 10 * MEGABYTE });
    const moment = (await user.api.getDashboardRealtime()).data;
    expect(moment).toMatchObject({ balance: 400_000 - 24, connected: 0 });
    expect(moment.downloadSpeed).toBeGreaterThan(0);
    const cost = (await user.api.getPerformance({ query: { metric: 'cost', period: '1d' } })).data;
    expect(cost.unit).toBe('toman');
    expect(cost.points.reduce((sum, { value }) => sum + value, 0)).toBe(24);
    expect((await user.api.getRecommendations()).data.recommendations).toEqual([]);
    expect((await user.api.getActivity({ query: { limit: 1 } })).data.activities).toHaveLength(1);
    expect((await user.api.getDashboardConfigs()).data.configs.map(({ id }) => id)).toEqual([config]);
    expect((await user.api.getDashboardWallet()).data.recentTransactions).toHaveLength(2);
  });
  test('it says of the connection what that call does, and has the configs that are switched off beside the others', async () => {
    const both = async () => [(await user.api.getDashboard()).data, (await user.api.connectionStatus()).data] as const;
    const [before, status] = await both();
    expect(before.connection).toEqual(status);
    expect(before.otherConfigs).toEqual([]);
    await user.api.disconnect({ body: { configId: config } });
    const [off, statusOff] = await both();
    expect(off.connection).toEqual(statusOff);
    expect([off.activeConfigs, off.otherConfigs.map(({ id }) => id)]).toEqual([[], [config]]);
    await user.api.connect({ body: { configId: config } });
    const [waiting, statusWaiting] = await both();
    expect(waiting.connection).toEqual(statusWaiting);
    expect(waiting.connection?.state).toBe('waiting');
  });
  test('of a user with nothing: zeros, and how to begin', async () => {
    const nobody = await world.user({ usdCents: 0 });
    const { data } = await nobody.api.getDashboard();
    expect(data.quickStats).toMatchObject({ totalTraffic: 0, todayTraffic: 0 });
    expect(data.subscriptionStatus).toMatchObject({ status: 'inactive', isActive: false });
    expect([data.activeConfigs, data.recentTransactions]).toEqual([[], []]);
    expect([data.connection, data.otherConfigs]).toEqual([null, []]);
    expect((await nobody.api.getRecommendations()).data.recommendations.map(({ kind }) => kind)).toEqual(['activate']);
  });
  test('a user whose address is not proved may look', async () => {
    const body = {
      name: 'بی تأیید',
      email: 'unproved@mail.example',
      password: 'Correct-horse-9',
      password_confirmation: 'Correct-horse-9',
    };
    const own = world.client((await world.client().register({ body })).token ?? undefined);
    expect((await own.getDashboard()).data.subscriptionStatus).toMatchObject({ status: 'trial', isTrial: true });
    expect((await own.getRecommendations()).data.recommendations).toHaveLength(1);
  });
  test('an invalid period is refused', async () => {
    for (const period of ['0d', '400d', '7', 'all']) {
      await expect(user.api.getDashboardTraffic({ query: { period } })).rejects.toMatchObject({ status: 422 });
    }
  });
});

import { limits } from '@raha/contract/limits.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bookSilentUsage } from '../../src/modules/billing/book-usage.ts';
import { house } from '../../src/modules/ledger/house.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** Usage is priced at once and booked in the ledger about once a minute. */
const MEGABYTE = 1_000_000;
/** 3 cents per GB at 80,000 toman per dollar. */
const TOMAN_PER_MEGABYTE = 2.4;

let world: TestWorld;
let node: FakeNode;
beforeAll(async () => {
  world = await openTestWorld();
  node = await enrolFakeNode(world);
});
afterAll(() => world.close());

async function revenue(): Promise<number> {
  const { rows } = await sql<{ total: bigint }>`
    SELECT coalesce(sum(amount), 0)::bigint AS total FROM ledger_entry WHERE account_id = ${house.usageRevenue}
  `.execute(world.deps.db);
  return Number(rows[0]?.total);
}

/** As if every config had been silent for a minute. */
async function bookSilent(): Promise<number> {
  const later = addSeconds(world.deps.clock.now(), limits.metering.silentSeconds + 1);
  return await bookSilentUsage({ ...world.deps, clock: { now: () => later } });
}

const balance = async (user: TestUser) => (await user.api.getWallet()).data.balance;
const usageEntries = async () =>
  (await sql`SELECT FROM ledger_transfer WHERE kind = 'usage'`.execute(world.deps.db)).rows.length;

async function newConfig(user: TestUser): Promise<string> {
  const { data } = await user.api.createConfig({ body: { name: 'گوشی', serverId: node.id, keepKey: true } });
  await node.settle();
  return data.config.id;
}

test('a reported byte leaves the balance at once and is booked within sixteen reports', async () => {
  const user = await world.user();
  const config = await newConfig(user);
  const [before, booked, transfers] = [await balance(user), await revenue(), await usageEntries()];
  for (let megabytes = 1; megabytes <= limits.metering.reportsPerBooking; megabytes++) {
    await node.report([{ config, down: megabytes * MEGABYTE }]);
    expect(await balance(user)).toBe(before - Math.floor(megabytes * TOMAN_PER_MEGABYTE));
    await world.proveLedger();
  }
  expect(await usageEntries()).toBe(transfers + 1);
  const sofar = (await revenue()) - booked;
  expect(sofar).toBeGreaterThan(0);
  expect(sofar).toBeLessThanOrEqual(Math.floor(limits.metering.reportsPerBooking * TOMAN_PER_MEGABYTE));
});

test('a repeated report books nothing twice', async () => {
  const user = await world.user();
  const config = await newConfig(user);
  const booked = await revenue();
  for (let n = 1; n <= limits.metering.reportsPerBooking; n++) {
    node.seq += 1;
    const report = node.makeReport([{ config, down: n * MEGABYTE }]);
    await Promise.all([node.send(report), node.send(report)]);
    await node.send(report);
  }
  expect((await revenue()) - booked).toBeLessThanOrEqual(Math.floor(16 * TOMAN_PER_MEGABYTE));
  await world.proveLedger();
});

test('the usage of a silent config is booked by the schedule; booking twice or simultaneously moves nothing', async () => {
  const user = await world.user();
  const config = await newConfig(user);
  await node.report([{ config, down: 5 * MEGABYTE }]);
  expect(await bookSilentUsage(world.deps)).toBe(0);
  await Promise.all([bookSilent(), bookSilent()]);
  const [booked, left] = [await revenue(), await balance(user)];
  expect(await bookSilent()).toBe(0);
  expect(await revenue()).toBe(booked);
  expect(await balance(user)).toBe(left);
  await world.proveLedger();
});

test('the last reading of a deleted config is booked with its report', async () => {
  const user = await world.user();
  const config = await newConfig(user);
  const before = await balance(user);
  await bookSilent();
  const booked = await revenue();
  await user.api.deleteConfig({ params: { id: config } });
  await node.settle();
  await node.report([{ config, down: 5 * MEGABYTE, final: true }]);
  expect((await revenue()) - booked).toBe(12);
  expect(await balance(user)).toBe(before - 12);
  await world.proveLedger();
});

test('in the wallet, usage is listed after the card that paid for it', async () => {
  const user = await world.user();
  const config = await newConfig(user);
  await node.report([{ config, down: 5 * MEGABYTE }]);
  const { transactions } = (await user.api.listWalletTransactions({ query: {} })).data;
  expect(transactions.map(({ type }) => type)).toEqual(['usage', 'gift_card']);
});

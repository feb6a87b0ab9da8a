import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bookPastHours } from '../../src/modules/billing/book-usage.ts';
import { closeMonth } from '../../src/modules/books/close-month.ts';
import { house } from '../../src/modules/ledger/house.ts';
import { getUserAccounts } from '../../src/modules/ledger/user-accounts.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { actor, openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** Usage is priced at once, lies reserved in the wallet, and is booked by the hour (decision 73). */
const MEGABYTE = 1_000_000;
/** 3 cents per GB at 80,000 toman per dollar. */
const TOMAN_PER_MEGABYTE = 2.4;
const HOUR = 3_600_000;

// 1405-08-30, 12:00 in Tehran.
const clock = manualClock(new Date('2026-11-21T08:30:00Z'));
let world: TestWorld;
let node: FakeNode;
beforeAll(async () => {
  world = await openTestWorld({ clock });
  node = await enrolFakeNode(world);
});
beforeEach(async () => {
  clock.advance(HOUR);
  await bookPastHours(world.deps);
});
afterAll(() => world.close());

async function usage(): Promise<{ toman: number; transfers: number; entries: number; days: string[] }> {
  const { rows } = await sql<{ toman: bigint; transfers: bigint; entries: bigint; days: string[] }>`
    SELECT coalesce(sum(amount) FILTER (WHERE account_id = ${house.usageRevenue}), 0)::bigint AS toman,
      count(DISTINCT t.id) AS transfers, count(*) AS entries, coalesce(array_agg(DISTINCT t.booked_on::text), '{}') AS days
    FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id WHERE t.kind = 'usage'
  `.execute(world.deps.db);
  const [row] = rows;
  return {
    toman: Number(row?.toman),
    transfers: Number(row?.transfers),
    entries: Number(row?.entries),
    days: row?.days ?? [],
  };
}

/** As the panel shows it. */
async function balance({ id }: TestUser): Promise<number> {
  const { walletToman, leaseToman } = await getUserAccounts(world.deps.db, id);
  return Number(walletToman + leaseToman);
}

async function newConfig(user: TestUser): Promise<string> {
  // It is offline after an hour without one.
  await node.report([]);
  const { data } = await user.api.createConfig({ body: { name: 'گوشی', serverId: node.id, keepKey: true } });
  await node.settle();
  return data.config.id;
}

test('a reported byte leaves the balance at once and is booked when its hour is over', async () => {
  const user = await world.user();
  const config = await newConfig(user);
  const [before, booked] = [await balance(user), await usage()];
  for (let megabytes = 1; megabytes <= 40; megabytes++) {
    await node.report([{ config, down: megabytes * MEGABYTE }]);
    expect(await balance(user)).toBe(before - Math.floor(megabytes * TOMAN_PER_MEGABYTE));
  }
  await world.proveLedger();
  expect(await bookPastHours(world.deps)).toEqual([]);
  clock.advance(HOUR);
  expect(await bookPastHours(world.deps)).toEqual([user.id]);
  const after = await usage();
  expect(after.toman - booked.toman).toBe(96);
  expect(after.transfers - booked.transfers).toBe(1);
  expect(await balance(user)).toBe(before - 96);
  await world.proveLedger();
});

test('an hour of many users costs at most 1.2 entries each, whatever they report', async () => {
  const users = [];
  for (let count = 0; count < 10; count += 1) users.push(await world.user());
  const configs = [];
  for (const user of users) configs.push(await newConfig(user));
  const before = await usage();
  // Enough for several leases each.
  for (let report = 1; report <= 20; report += 1) {
    await node.report(configs.map((config) => ({ config, down: report * 10 * MEGABYTE })));
    clock.advance(60_000);
  }
  clock.advance(HOUR);
  await bookPastHours(world.deps);
  const after = await usage();
  expect(after.entries - before.entries).toBeLessThanOrEqual(1.2 * users.length);
  const { rows } = await sql<{ others: bigint }>`
    SELECT count(*) AS others FROM ledger_entry e JOIN ledger_account a ON a.id = e.account_id JOIN ledger_transfer t ON t.id = e.transfer_id
    WHERE a.owner_id = ANY (${users.map(({ id }) => id)}::uuid[]) AND t.kind NOT IN ('usage', 'gift_card')
  `.execute(world.deps.db);
  expect(Number(rows[0]?.others)).toBe(0);
  await world.proveLedger();
});

test('what the running hour cost stays until it is over, in the order of reports and clocks that comes', async () => {
  const user = await world.user();
  const config = await newConfig(user);
  const before = await usage();
  await node.report([{ config, down: 5 * MEGABYTE }]);
  clock.advance(HOUR);
  await node.report([{ config, down: 15 * MEGABYTE }]);
  await bookPastHours(world.deps);
  expect((await usage()).toman - before.toman).toBe(12);
  // A report of before the hour that comes after it.
  clock.advance(-HOUR);
  await node.report([{ config, down: 20 * MEGABYTE }]);
  clock.advance(HOUR);
  await world.proveLedger();
  clock.advance(HOUR);
  while ((await bookPastHours(world.deps)).length > 0);
  expect((await usage()).toman - before.toman).toBe(48);
  await world.proveLedger();
});

test('a repeated report books nothing twice; nor does booking twice or simultaneously', async () => {
  const user = await world.user();
  const config = await newConfig(user);
  const [before, left] = [await usage(), await balance(user)];
  for (let n = 1; n <= 5; n++) {
    node.seq += 1;
    const report = node.makeReport([{ config, down: n * MEGABYTE }]);
    await Promise.all([node.send(report), node.send(report)]);
    await node.send(report);
  }
  clock.advance(HOUR);
  await Promise.all([bookPastHours(world.deps), bookPastHours(world.deps), bookPastHours(world.deps)]);
  expect(await bookPastHours(world.deps)).toEqual([]);
  expect((await usage()).toman - before.toman).toBe(12);
  expect(await balance(user)).toBe(left - 12);
  await world.proveLedger();
});

test('the last reading of a deleted config is booked as any other', async () => {
  const user = await world.user();
  const config = await newConfig(user);
  const [before, left] = [await usage(), await balance(user)];
  await user.api.deleteConfig({ params: { id: config } });
  await node.settle();
  await node.report([{ config, down: 5 * MEGABYTE, final: true }]);
  expect(await balance(user)).toBe(left - 12);
  clock.advance(HOUR);
  await bookPastHours(world.deps);
  expect((await usage()).toman - before.toman).toBe(12);
  await world.proveLedger();
});

test('the last hour of a month is booked in it, also when the month is closed before the schedule comes', async () => {
  const user = await world.user();
  const config = await newConfig(user);
  // 23:30 on the last day of 1405-08.
  clock.advance(Date.parse('2026-11-21T20:00:00Z') - clock.now().getTime());
  await bookPastHours(world.deps);
  const before = await usage();
  await node.report([{ config, down: 5 * MEGABYTE }]);
  clock.advance(HOUR);
  await node.report([{ config, down: 10 * MEGABYTE }]);
  await closeMonth(world.deps, { actor, operator: 'tests', month: '1405-08' });
  const after = await usage();
  expect(after.toman - before.toman).toBe(12);
  expect(after.days.at(-1)).toBe('2026-11-21');
  clock.advance(HOUR);
  await bookPastHours(world.deps);
  expect((await usage()).days.at(-1)).toBe('2026-11-22');
  await world.proveLedger();
});

test('in the wallet, usage is listed after the card that paid for it', async () => {
  const user = await world.user();
  const config = await newConfig(user);
  await node.report([{ config, down: 5 * MEGABYTE }]);
  const { transactions } = (await user.api.listWalletTransactions({ query: {} })).data;
  expect(transactions.map(({ type }) => type)).toEqual(['usage', 'gift_card']);
});

import type { StatementDay } from '@raha/contract/public/statement.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bookPastHours } from '../../src/modules/billing/book-usage.ts';
import { receiveUsageReport } from '../../src/modules/billing/receive-usage-report.ts';
import { splitByPrice, totalToman } from '../../src/modules/metering/rules.ts';
import { cell, numericDate } from '../../src/modules/wallet/statement-csv.ts';
import { addDays } from '../../src/platform/clock.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { openTestWorld, TEST_RATE, type TestUser, type TestWorld } from '../world.ts';

/** The statement lists, for every day, what was used at which price, and agrees with the wallet and with the ledger. */
const MEGABYTE = 1_000_000;
const HOSTILE = '=HYPERLINK("http://evil.example")';

let world: TestWorld;
let node: FakeNode;
let user: TestUser;
beforeAll(async () => {
  world = await openTestWorld();
  node = await enrolFakeNode(world);
});
afterAll(() => world.close());

const usage = new Map<string, number>();
/** Adds so many bytes to a config, as its node would have reported them `daysAgo` days ago, at the given exchange rate. */
async function use(config: string, bytes: number, daysAgo = 0, tomanPerUsd = TEST_RATE): Promise<void> {
  usage.set(config, (usage.get(config) ?? 0) + bytes);
  node.seq += 1;
  const then = addDays(world.deps.clock.now(), -daysAgo);
  const exchangeRate = {
    current: async () => ({ ...(await world.deps.exchangeRate.current(world.deps.db))!, tomanPerUsd }),
  };
  const report = node.makeReport([{ config, down: usage.get(config) ?? 0 }]);
  const reply = await receiveUsageReport({ ...world.deps, exchangeRate, clock: { now: () => then } }, node.id, report);
  for (const { config: id, lease } of reply.leases) node.peers.set(id, { ...node.peers.get(id)!, lease });
}

async function newConfig(name: string, owner = user): Promise<string> {
  // Reports from the past have made the node look offline.
  await node.report([]);
  const { data } = await owner.api.createConfig({ body: { name, serverId: node.id, keepKey: true } });
  await node.settle();
  return data.config.id;
}

async function statement(query: { page?: number; per_page?: number; period?: string } = {}) {
  return (await user.api.getStatement({ query })).data;
}

async function bookAll(): Promise<void> {
  const later = addDays(world.deps.clock.now(), 1);
  await bookPastHours({ ...world.deps, clock: { now: () => later } });
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, value) => total + value, 0);
const bytesOf = (day: StatementDay | undefined) =>
  sum(day?.configs.flatMap(({ parts }) => parts.map((p) => p.bytes)) ?? []);

describe('the statement', () => {
  beforeEach(async () => {
    user = await world.user();
  });

  test('day, config, bytes, price and line; its sums are those of the wallet and of the ledger', async () => {
    const [phone, laptop] = [await newConfig('گوشی'), await newConfig('لپ‌تاپ')];
    await use(phone, 12 * MEGABYTE, 2);
    await use(laptop, 5 * MEGABYTE, 2);
    await use(phone, 7 * MEGABYTE, 1);
    await use(phone, 3 * MEGABYTE);
    await bookAll();
    const { days, pagination } = await statement();
    expect(pagination).toEqual({ page: 1, total_pages: 1, total: 3 });
    expect(days.map(({ day }) => day)).toEqual(
      days
        .map(({ day }) => day)
        .sort()
        .reverse(),
    );
    const [today, , before] = days;
    expect(before?.configs.map(({ name, downloaded }) => [name, downloaded])).toEqual([
      ['گوشی', 12 * MEGABYTE],
      ['لپ‌تاپ', 5 * MEGABYTE],
    ]);
    expect(before?.configs[0]?.parts).toEqual([
      { bytes: 12 * MEGABYTE, price_per_gb: 2400, covered_by: 'wallet', amount: 28 },
    ]);
    // The card that activated the account was redeemed today.
    expect(today).toMatchObject({ deposits: 400_000, withdrawals: 0, bytes: 3 * MEGABYTE });
    expect(today?.movements).toMatchObject([{ type: 'gift_card', amount: 400_000 }]);
    const wallet = (await user.api.getWallet()).data;
    expect(sum(days.map((day) => day.deposits - day.withdrawals - day.usage))).toBe(wallet.balance);
    for (const { configs } of days) {
      for (const { transaction_id, amount } of configs) {
        const line = await user.api.getWalletTransaction({ params: { id: transaction_id as string } });
        expect(line.data.amount).toBe(-amount);
      }
    }
    // Booking follows usage by up to a minute: over all days the ledger has the same sum.
    const booked = await Promise.all(
      [...new Set([...days.map(({ day }) => day), tehranDay(1)])].map(
        async (day) => (await user.api.getStatementDay({ params: { day } })).data.sum,
      ),
    );
    expect(sum(booked)).toBe(wallet.balance);
    await world.proveLedger();
  });

  test('a price that changes within a day makes a line of its own, to the toman', async () => {
    const phone = await newConfig('گوشی');
    await use(phone, 230 * MEGABYTE, 0, 90_000);
    await use(phone, 200 * MEGABYTE, 0, 120_000);
    await use(phone, 9 * MEGABYTE, 0, 120_000);
    const { days } = await statement();
    const config = days[0]?.configs[0];
    expect(config?.parts.length).toBeGreaterThan(1);
    expect(new Set(config?.parts.map(({ price_per_gb }) => price_per_gb)).size).toBe(config?.parts.length);
    expect(sum(config?.parts.map(({ amount }) => amount) ?? [])).toBe(config?.amount);
    expect(bytesOf(days[0])).toBe(days[0]?.bytes);
    await world.proveLedger();
  });

  test('bytes of a plan cost nothing and are marked so', async () => {
    await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
    const phone = await newConfig('گوشی');
    await use(phone, 4 * MEGABYTE);
    const { days } = await statement();
    expect(days[0]).toMatchObject({ usage: 0, withdrawals: 99_000 });
    expect(days[0]?.configs[0]).toMatchObject({
      amount: 0,
      transaction_id: null,
      parts: [{ bytes: 4 * MEGABYTE, price_per_gb: 0, covered_by: 'plan', amount: 0 }],
    });
  });

  test('pages of days, and a period', async () => {
    const phone = await newConfig('گوشی');
    for (const ago of [40, 20, 3, 1]) await use(phone, MEGABYTE, ago);
    const all = await statement();
    expect(all.days).toHaveLength(5);
    const paged = [await statement({ page: 1, per_page: 2 }), await statement({ page: 2, per_page: 2 })];
    expect(paged.flatMap(({ days }) => days)).toEqual(all.days.slice(0, 4));
    expect(paged[0]?.pagination).toEqual({ page: 1, total_pages: 3, total: 5 });
    expect((await statement({ period: '30d' })).days).toEqual(all.days.slice(0, 4));
    expect((await statement({ page: 9 })).days).toEqual([]);
  });

  test('is shown to its user only, and an invalid day is not found', async () => {
    await use(await newConfig('گوشی'), MEGABYTE);
    const other = await world.user();
    expect((await other.api.getStatement()).data.days.flatMap(({ configs }) => configs)).toEqual([]);
    await expect(user.api.getStatementDay({ params: { day: '2026-13-45' } })).rejects.toMatchObject({ status: 404 });
    for (const day of ['0001-01-01', '9999-12-31']) {
      expect((await user.api.getStatementDay({ params: { day } })).data.lines).toEqual([]);
    }
  });

  test('the spreadsheet: a byte order mark, Jalali dates, Persian headers, no formula, both columns add up', async () => {
    const phone = await newConfig(HOSTILE);
    await use(phone, 10 * MEGABYTE, 1);
    const sheet = async (language: string) => {
      const response = await fetch(`${world.origin}/api/v1/user/wallet/statement.csv?period=30d`, {
        headers: { authorization: `Bearer ${user.token}`, 'accept-language': language },
      });
      expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      return Buffer.from(await response.arrayBuffer());
    };
    const bytes = await sheet('fa');
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const [head, first, second, end] = bytes.toString('utf8').slice(1).split('\r\n');
    expect(head).toBe('تاریخ,نوع,شرح,حجم (بایت),قیمت هر گیگابایت (تومان),برداشت (تومان),واریز (تومان),شناسهٔ سطر');
    expect(first).toMatch(
      /^14\d\d\/\d\d\/\d\d,مصرف,"'=HYPERLINK\(""http:\/\/evil\.example""\)",10000000,2400,24,,[0-9a-f-]{36}$/,
    );
    expect(second).toMatch(/^14\d\d\/\d\d\/\d\d,گردش کیف پول,.*,,,,400000,[0-9a-f-]{36}$/);
    expect(end).toBe('');
    expect((await sheet('en')).toString('utf8')).toMatch(
      /^\ufeffDate,Kind,Description,Bytes,.*\r\n20\d\d-\d\d-\d\d,Usage,/,
    );
  });
});

test('no text becomes a formula, whatever precedes it; numbers stay numbers', () => {
  for (const bad of ['=1+1', '+1', '-1', '@a', '\t=1', ' =1', '\u200f=1', '＝1', '|x', '%x', '\r\n=1'])
    expect(cell(bad)).toMatch(/^"?'/);
  expect(cell('گوشی من')).toBe('گوشی من');
  expect(cell('a,"b"\nc')).toBe('"a,""b""\nc"');
  expect(cell(2400.5)).toBe('2400.5');
});

test('days are Jalali in Persian and Gregorian in English', () => {
  expect(numericDate('2026-11-21', 'fa')).toBe('1405/08/30');
  expect(numericDate('2027-03-21', 'fa')).toBe('1406/01/01');
  expect(numericDate('2026-11-21', 'en')).toBe('2026-11-21');
});

test('however bytes are divided, the parts of a segment cost what the segment costs', () => {
  const price = fc.constantFrom(0n, 2_400_000n, 3_141_593n, 9_999_999n);
  const segment = fc.record({
    length: fc.bigInt(1n, 5_000_000_000n),
    price,
    subscriptionId: fc.constantFrom(null, 'a', 'b'),
  });
  fc.assert(
    fc.property(
      fc.array(segment, { minLength: 1, maxLength: 8 }),
      fc.array(fc.bigInt(0n, 40_000_000_000n)),
      (list, cuts) => {
        let start = 0n;
        const segments = list.map(({ length, ...rest }) => {
          const made = { start, ...rest };
          start += length;
          return made;
        });
        const marks = [0n, ...cuts].sort((a, b) => (a < b ? -1 : 1));
        for (const [index, from] of marks.entries()) {
          const to = marks[index + 1] ?? from;
          const parts = splitByPrice(segments, from, to);
          expect(parts.reduce((total, part) => total + part.bytes, 0n)).toBe(to - from);
          expect(parts.reduce((total, part) => total + part.toman, 0n)).toBe(
            totalToman(segments, to) - totalToman(segments, from),
          );
        }
      },
    ),
  );
});

/** A day of Tehran, so many days from today. */
function tehranDay(ahead: number): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Tehran' }).format(addDays(world.deps.clock.now(), ahead));
}

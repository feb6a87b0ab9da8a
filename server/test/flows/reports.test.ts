import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chargeToman, priceMilliTomanPerGb } from '@raha/contract/money.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bookPastHours } from '../../src/modules/billing/book-usage.ts';
import { issueGiftCards } from '../../src/modules/gift-cards/issue-cards.ts';
import { entryOf } from '../../src/modules/ledger/export-journal.ts';
import { selectBalances } from '../balances.ts';
import { payAndVerify } from '../bank.ts';
import { enrolFakeNode } from '../fake-node.ts';
import { hasHledger, hledgerBalances } from '../hledger.ts';
import { inherited } from '../inherited.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** The operator's reports, after money has moved in every way. */
const directory = mkdtempSync(join(tmpdir(), 'raha-reports-'));
let world: TestWorld;
let user: TestUser;

beforeAll(async () => {
  world = await openTestWorld();
  const node = await enrolFakeNode(world);
  user = await world.user({ usdCents: 1000 });
  const other = await world.user({ usdCents: 200 });
  for (const [gateway, amount] of [
    ['zarinpal', 50_000],
    ['zarinpal', 30_000],
    ['nextpay', 70_000],
  ] as const) {
    const id = await payAndVerify(user, gateway, amount);
    if (amount === 30_000) await user.api.refundPayment({ params: { id } });
  }
  const { data } = await other.api.createConfig({ body: { name: 'phone', serverId: node.id } });
  await node.sync();
  for (const down of [5_000_000, 12_000_000, 60_000_000]) await node.report([{ config: data.config.id, down }]);
  const later = new Date(Date.now() + 3_600_000);
  await bookPastHours({ ...world.deps, clock: { now: () => later } });
  const bought = await user.api.purchaseSubscription({ body: { plan_id: 'basic' } });
  await user.api.cancelSubscription({ params: { id: bought.data.subscription.id } });
  await user.api.purchaseSubscription({ body: { plan_id: 'premium' } });
  await issueGiftCards(world.deps, { count: 3, usdCents: 500 });
  await world.proveLedger();
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await world.proveLedger();
  await world.close();
});

function raha(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../../src/cli.ts'), 'report', ...args],
    {
      encoding: 'utf8',
      env: {
        ...inherited,
        DATABASE_URL: world.deps.databaseUrl,
        MASTER_KEY: 'a master key for tests, of no other use',
        DATA_DIR: directory,
        USD_RATE_TOMAN: '80000',
      },
    },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

const json = (...args: string[]) => JSON.parse(raha(...args, '--json'));

describe('reports', () => {
  test('takings by gateway and day', () => {
    const takings = json('takings') as { gateway: string; payments: number; toman: number; day: string }[];
    expect(takings.map(({ gateway, payments, toman }) => [gateway, payments, toman])).toEqual([
      ['nextpay', 1, 70_000],
      ['zarinpal', 2, 80_000],
    ]);
    const [head, first] = raha('takings', '--csv').split('\n');
    expect(head).toBe('day,gateway,payments,toman');
    expect(first).toBe(`${takings[0]?.day},nextpay,1,70000`);
    expect(json('takings', '--from', '2020-01-01', '--to', '2020-12-31')).toEqual([]);
  });

  test('earnings: usage as booked, plans less what was credited', async () => {
    const balances = new Map((await selectBalances(world.deps.db)).map(({ code, balance }) => [code, Number(balance)]));
    expect(balances.get('revenue:usage')).toBe(Number(chargeToman(60_000_000n, priceMilliTomanPerGb(3, 80_000))));
    const earned = json('usage', '--to', '2099-12-31') as { revenue: string; toman: number }[];
    // The hour of booking may belong to another day.
    const sumOf = (source: string) =>
      earned.filter(({ revenue }) => revenue === source).reduce((sum, { toman }) => sum + toman, 0);
    for (const source of ['plan', 'plan-ended']) expect(sumOf(source)).toBe(balances.get(`revenue:${source}`) ?? 0);
    expect(sumOf('usage')).toBe(balances.get('revenue:usage'));
    // Of a plan for 99,000 of which 29 of 30 days came back; nothing of the one for 199,000 is earned yet.
    expect(sumOf('plan') + sumOf('plan-ended')).toBe(99_000 - 95_700);
    expect(balances.get('deferred:plan')).toBe(199_000);
  });

  test('refunds by step, and what each gateway owes, without a difference', () => {
    expect(json('refunds')).toMatchObject([{ step: 'refund reserve', count: 1, toman: 30_000 }]);
    expect(json('clearing')).toMatchObject([
      { gateway: 'nextpay', credited: 70_000, refunded: 0, under_way: 0, expected: 70_000, difference: 0 },
      { gateway: 'zarinpal', credited: 80_000, refunded: 0, under_way: 30_000, expected: 80_000, difference: 0 },
    ]);
  });

  test('the report of liabilities', () => {
    expect(json('liability')).toMatchObject({
      refundsUnderWay: 30_000,
      giftCards: { cards: 3, usdCents: 1500, rate: 80_000, toman: 1_200_000 },
      plans: Math.floor((199_000 * 29) / 30),
      unearnedPlans: 199_000,
    });
    expect(raha('liability')).toContain('3 cards, 15 US dollars at 80000');
  });

  test('a description cannot end an entry, whatever it contains', () => {
    const row = {
      id: 'i',
      day: '1970-01-01',
      kind: 'k',
      source_type: 's',
      source_id: 'a;b\n  c  1',
      purpose: 'p|q',
      fact_day: null,
    };
    expect(entryOf({ ...row, lines: [{ code: 'x y', amount: '-1' }] })).toBe(
      '\n1970-01-01 * (i) k s a-b-c-1 p-q\n    x-y  -1 toman\n',
    );
  });
});

test.skipIf(!hasHledger)('T-C7 hledger computes every balance from the export as the ledger does', async () => {
  const file = join(directory, 'raha.journal');
  raha('hledger', '--out', file);
  const theirs = hledgerBalances(file, '--empty');
  const ours = (await selectBalances(world.deps.db)).filter(({ code, balance }) => balance !== 0n || theirs.has(code));
  expect(ours.length).toBeGreaterThan(8);
  expect(theirs).toEqual(new Map(ours.map(({ code, balance }) => [code, balance])));
  // Every entry is there, not only sums that happen to agree.
  const count = spawnSync('hledger', ['-f', file, 'stats'], { encoding: 'utf8' }).stdout;
  const stored = JSON.parse(raha('hledger', '--out', join(directory, 'second.journal'), '--json')) as {
    transfers: number;
  };
  expect(count).toMatch(new RegExp(`Transactions\\s*: ${stored.transfers} `));
});

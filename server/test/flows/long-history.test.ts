import { fileURLToPath } from 'node:url';
import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkInvariants } from '../../src/modules/ledger/check-invariants.ts';
import { house } from '../../src/modules/ledger/house.ts';
import { listUserLines } from '../../src/modules/ledger/user-lines.ts';
import { selectUsageBy } from '../../src/modules/metering/usage-series.ts';
import { listPayments } from '../../src/modules/wallet/payment-list.ts';
import { readStatement } from '../../src/modules/wallet/statement.ts';
import { sumByDay } from '../../src/modules/wallet/sum-tables.ts';
import { listNewestLines, listWalletLines } from '../../src/modules/wallet/wallet-lines.ts';
import { describeSums } from '../../src/modules/wallet/wallet-sums.ts';
import { addDays } from '../../src/platform/clock.ts';
import { enrolFakeNode } from '../fake-node.ts';
import { buffersOf, costOf } from '../scale/counters.ts';
import { insertPopulation } from '../scale/people.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** What an account of three years and ten thousand payments costs beside one that pays every two weeks, in pages that PostgreSQL touches. */
let world: TestWorld;
let [young, old]: TestUser[] = [];
beforeAll(async () => {
  world = await openTestWorld({ connections: 1 });
  const node = await enrolFakeNode(world);
  young = await world.user();
  old = await world.user();
  await insertPopulation(world.deps.db, {
    count: 200,
    nodeIds: [node.id],
    modelId: young.id,
    oldIds: [old.id],
    payerIds: [young.id],
    now: world.deps.clock.now(),
  });
  await makeBusyDay(BUSY_DAYS_AGO);
  await useForYears();
}, 120_000);
afterAll(() => world.close());

/** On one day ten thousand transfers of others, as a service has them. */
const BUSY_DAYS_AGO = 100;
async function makeBusyDay(daysAgo: number): Promise<void> {
  const both = `'${house.adjustment}', '${house.writeOff}'`;
  await sql
    .raw(`
      CREATE TEMP TABLE made AS SELECT uuidv7(at - clock_timestamp()) AS id, at
      FROM generate_series(1, 10000) n, LATERAL (SELECT now() - interval '${daysAgo} days' - n * interval '5 seconds' AS at) t
    `)
    .execute(world.deps.db);
  await sql
    .raw(`
      WITH t AS (
        INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at) SELECT id, 'usage', 'made', id, 'charge', at FROM made RETURNING id
      ) INSERT INTO ledger_entry (transfer_id, account_id, amount)
      SELECT id, account, CASE account WHEN '${house.adjustment}' THEN 1 ELSE -1 END FROM t, unnest(ARRAY[${both}]::uuid[]) account
    `)
    .execute(world.deps.db);
  await sql`ANALYZE ledger_entry, ledger_transfer`.execute(world.deps.db);
}

const HOURS = 3 * 365 * 24;
/** Every hour of three years on one config, after those that it has; some cost nothing. */
async function useForYears(): Promise<void> {
  await sql`
    INSERT INTO usage_hour (config_id, hour, up, down, charged_toman)
    SELECT m.config_id, o.oldest - n * interval '1 hour', n % 7, 1000 + n, CASE WHEN n % 50 < 30 THEN 0 ELSE n % 3 END
    FROM (SELECT config_id FROM meter WHERE user_id = ${old?.id} AND total_down > 0) m
    CROSS JOIN LATERAL (SELECT min(hour) AS oldest FROM usage_hour WHERE config_id = m.config_id) o, generate_series(1, ${HOURS}::integer) n
  `.execute(world.deps.db);
  await sql`ANALYZE`.execute(world.deps.db);
}

const idOf = (user: TestUser | undefined) => user?.id ?? '';

test('a day of the ledger reads that day, whatever came before and after it', async () => {
  const pagesOf = async (user: TestUser | undefined, daysAgo: number) => {
    const to = addDays(world.deps.clock.now(), -daysAgo);
    const list = () => listUserLines(world.deps.db, idOf(user), { from: addDays(to, -1), to }, { number: 1, size: 15 });
    await list();
    return await buffersOf(world.deps.db, list);
  };
  const quiet = await pagesOf(young, 12);
  const found = [];
  for (const daysAgo of [12, BUSY_DAYS_AGO, 500, 1_000]) found.push(await pagesOf(old, daysAgo));
  for (const pages of found) expect(pages).toBeLessThan(2 * quiet + 100);
});

test('and finds the same lines as all entries of the account have', async () => {
  for (const daysAgo of [0, 5, 12, 100, 500, 1_000, 1_090, 3_000]) {
    const to = addDays(world.deps.clock.now(), 1 - daysAgo);
    const from = addDays(to, -1);
    const page = { number: 1, size: 100 };
    const found = await listUserLines(world.deps.db, idOf(old), { from, to }, page);
    const { rows } = await sql<{ id: string }>`
      SELECT t.id FROM ledger_account a JOIN ledger_entry e ON e.account_id = a.id JOIN ledger_transfer t ON t.id = e.transfer_id
      WHERE a.owner_id = ${idOf(old)} AND t.created_at >= ${from} AND t.created_at < ${to} ORDER BY t.created_at DESC, t.id DESC
    `.execute(world.deps.db);
    expect([daysAgo, found.lines.map(({ id }) => id)]).toEqual([daysAgo, rows.map(({ id }) => id).slice(0, 100)]);
    expect(found.count).toBe(rows.length);
  }
});

test('a line of usage lies in its day of Tehran: pages begin at days', async () => {
  const { rows } = await sql`
    SELECT day, at FROM usage_line WHERE (at AT TIME ZONE 'Asia/Tehran')::date <> day LIMIT 5
  `.execute(world.deps.db);
  expect(rows).toEqual([]);
});

const SIZE = 15;
/** Rows and index entries of the sums of 36 months, of a wallet and of its usage. */
const MONTHS_OF_YEARS = 300;
const listings: [
  string,
  (user: TestUser | undefined, page: { number: number; size: number }) => Promise<{ ids: string[]; total: number }>,
][] = [
  [
    'lines of the wallet',
    async (user, page) => {
      const { transactions, total } = await listWalletLines(world.deps.db, idOf(user), page, 'en');
      return { ids: transactions.map(({ id }) => id), total };
    },
  ],
  [
    'payments',
    async (user, page) => {
      const { payments, total } = await listPayments(world.deps, idOf(user), {}, page, 'en');
      return { ids: payments.map(({ id }) => id), total };
    },
  ],
  [
    'completed payments of a gateway',
    async (user, page) => {
      const filter = { status: 'completed', type: 'wallet_charge', gateway: 'zarinpal' } as const;
      const { payments, total } = await listPayments(world.deps, idOf(user), filter, page, 'en');
      return { ids: payments.map(({ id }) => id), total };
    },
  ],
];

test.each(listings)(
  '%s: every page has the lines that come then, and costs what the second one does',
  async (_what, list) => {
    const all = await list(old, { number: 1, size: 20_000 });
    expect(all.ids.length).toBe(all.total);
    const last = Math.ceil(all.total / SIZE);
    expect(last).toBeGreaterThan(600);
    const costs = [];
    for (const number of [1, 2, 3, 30, 333, last - 1, last, last + 1]) {
      const page = { number, size: SIZE };
      await list(old, page);
      const { ids } = await list(old, page);
      expect([number, ids]).toEqual([number, all.ids.slice((number - 1) * SIZE, number * SIZE)]);
      costs.push((await costOf(world.deps.db, () => list(old, page))).rows);
    }
    const [, second = 0] = costs;
    for (const rows of costs) expect(rows).toBeLessThan(1.5 * second + 50);
  },
);

test('the sums of usage by day and month are those of its hours, also when an hour grows', async () => {
  await sql`
    UPDATE usage_hour SET up = up + 5, charged_toman = charged_toman + 1
    WHERE hour IN (SELECT hour FROM usage_hour ORDER BY hour LIMIT 40)
  `.execute(world.deps.db);
  const { rows } = await sql`
    SELECT config_id, grain, begins, up, down, charged_toman, last_charged_hour, days, charged_days FROM usage_sum
    EXCEPT SELECT config_id, grain, begins, up, down, charged_toman, last_charged_hour, days, charged_days FROM usage_hour_sum
  `.execute(world.deps.db);
  expect(rows).toEqual([]);
});

test('three years of hours cost what their months and the days that are shown do', async () => {
  const { db } = world.deps;
  const now = world.deps.clock.now();
  const page = (number: number) => ({ number, size: SIZE });
  const calls: Record<string, (userId: string) => Promise<unknown>> = {
    'lines of the wallet': (id) => listWalletLines(db, id, page(1), 'en'),
    'newest lines': (id) => listNewestLines(db, id, 5, 'en'),
    'sums of all time': (id) => describeSums(db, id, undefined),
    'sums of a month': (id) => describeSums(db, id, addDays(now, -30)),
    chart: (id) => sumByDay(db, id, 30, now),
    statement: (id) => readStatement(db, id, undefined, page(1), 'en'),
    'by server': (id) => selectUsageBy(db, id, 'server', undefined),
  };
  for (const [name, call] of Object.entries(calls)) {
    const rowsOf = async (user: TestUser | undefined) => {
      await call(idOf(user));
      return (await costOf(db, () => call(idOf(user)))).rows;
    };
    const [few, many] = [await rowsOf(young), await rowsOf(old)];
    expect([name, many <= 2 * few + MONTHS_OF_YEARS]).toEqual([name, true]);
  }
});

const invariantsOf = (module: string) => [
  fileURLToPath(new URL(`../../src/modules/${module}/invariants.sql`, import.meta.url)),
];

test('a month of transfers between users is proven by reading them, not the ledger', async () => {
  const { db } = world.deps;
  const until = world.deps.clock.now();
  const prove = () => checkInvariants(db, invariantsOf('wallet'), { since: addDays(until, -30), until, month: 'any' });
  expect((await prove()).violations).toEqual([]);
  const { most } = await costOf(db, prove);
  const { rows } = await sql<{ count: bigint }>`SELECT count(*) FROM ledger_entry`.execute(db);
  expect(most.ledger_entry ?? 0).toBeLessThan(Number(rows[0]?.count) / 4);
});

test('what a config was charged is proven without its old hours', async () => {
  const since = addDays(world.deps.clock.now(), -2);
  const { most } = await costOf(world.deps.db, () =>
    checkInvariants(world.deps.db, invariantsOf('metering'), { since }),
  );
  expect(most.usage_hour ?? 0).toBeLessThan(HOURS / 10);
});

test('the newest lines are the first ones of all lines, also while an hour of a known and of a new day runs', async () => {
  const { db } = world.deps;
  const newest = async () => {
    for (const { id } of [young, old] as TestUser[]) {
      for (const limit of [1, 4, 10]) {
        const { transactions } = await listWalletLines(db, id, { number: 1, size: limit }, 'en');
        expect(transactions).toHaveLength(limit);
        expect(await listNewestLines(db, id, limit, 'en')).toEqual(transactions);
      }
    }
  };
  await newest();
  const run = async (hour: RawBuilder<unknown>, charged: number) => {
    await sql`
      UPDATE meter m SET hour_start = ${hour}, hour_up = 1, hour_down = 1, hour_charged = ${charged}, last_used_at = ${hour} + interval '7 minutes'
      WHERE user_id IN (${young?.id}, ${old?.id})
    `.execute(db);
    await newest();
  };
  const lastDay = sql`(SELECT max(last_charged_hour) FROM usage_sum s WHERE s.config_id = m.config_id AND grain = 'day')`;
  const before = await sql`SELECT config_id FROM meter m WHERE ${lastDay} IS NOT NULL AND user_id = ${old?.id}`.execute(
    db,
  );
  expect(before.rows.length).toBeGreaterThan(0);
  await run(sql`now()`, 5);
  await run(sql`now()`, 0);
  await run(sql`coalesce(${lastDay}, now()) + interval '20 minutes'`, 9);
  await run(sql`coalesce(${lastDay}, now()) - interval '40 days'`, 9);
});

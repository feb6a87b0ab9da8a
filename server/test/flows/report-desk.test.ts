import type { adminEndpoints } from '@raha/contract/admin/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { output } from 'zod/mini';
import { manualClock } from '../../src/platform/clock.ts';
import { payAndVerify } from '../bank.ts';
import { seedPayments } from '../seed-payments.ts';
import { type Colleague, openColleague } from '../staff.ts';
import { openTestWorld, type TestWorld, unlimited } from '../world.ts';

/** The reports of the console, against what the books hold. */
type Daily = output<(typeof adminEndpoints)['getDailyReport']['response']>['data'];
type Liability = output<(typeof adminEndpoints)['getLiability']['response']>['data'];

const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;
let finance: Colleague;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, overrides: { minuteLimit: unlimited } });
  const user = await world.user({ usdCents: 100 });
  await seedPayments(world, user.id, 'zarinpal', [
    { amountToman: 300_000n, at: clock.now() },
    { amountToman: 20_000n, at: clock.now() },
  ]);
  // A quarter to midnight in Tehran belongs to the day before.
  const early = { ...world.deps, clock: manualClock(new Date('2026-11-18T20:15:00Z')) };
  await seedPayments({ deps: early }, user.id, 'zarinpal', [{ amountToman: 7_000n, at: early.clock.now() }]);
  const returned = await payAndVerify(user, 'nextpay', 50_000);
  await user.api.refundPayment({ params: { id: returned } });
  finance = await openColleague(world, 'finance');
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

async function read<T>(path: string): Promise<T> {
  const { status, body } = await finance.browser.call('GET', `/admin/reports/${path}`);
  expect(status).toBe(200);
  return body.data as T;
}

async function file(path: string): Promise<{ text: string; name: string | null }> {
  const response = await fetch(`${world.origin}/api/v1/admin/reports/${path}`, {
    headers: { cookie: finance.browser.cookies() },
  });
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  return { text: bytes.toString('utf8').slice(1), name: response.headers.get('content-disposition') };
}

test('takings by gateway, the largest first, by the days of Tehran', async () => {
  const takings = await read<Daily>('daily?report=takings');
  expect([takings.from, takings.to, takings.total]).toEqual(['2026-10-22', '2026-11-20', 377_000]);
  expect(takings.series).toEqual([
    {
      ...{ what: 'zarinpal', toman: 327_000, count: 3 },
      days: [
        { day: '2026-11-18', toman: 7_000, count: 1 },
        { day: '2026-11-20', toman: 320_000, count: 2 },
      ],
    },
    { what: 'nextpay', toman: 50_000, count: 1, days: [{ day: '2026-11-20', toman: 50_000, count: 1 }] },
  ]);
  expect(await read<Daily>('daily?report=takings&from=2026-11-18&to=2026-11-18')).toMatchObject({ total: 7_000 });
  expect(await read<Daily>('daily?report=takings&to=2026-11-17')).toMatchObject({
    ...{ from: '2026-10-19', total: 0, series: [] },
  });
});

test('steps of refunds are counted and not added up', async () => {
  const refunds = await read<Daily>('daily?report=refunds');
  expect(refunds.total).toBe(null);
  expect(refunds.series).toMatchObject([{ what: 'refund reserve', toman: 50_000, count: 1 }]);
});

test('a report has days that follow each other, and at most a year of them', async () => {
  for (const span of ['from=2026-11-21', 'from=2026-11-20&to=2026-11-19', 'from=2025-11-19', 'from=0001-01-01'])
    expect(await finance.browser.call('GET', `/admin/reports/daily?report=usage&${span}`)).toMatchObject({
      ...{ status: 422, body: { code: 'report_days' } },
    });
  for (const query of ['report=secrets', 'report=usage&from=2026-02-30', ''])
    expect((await finance.browser.call('GET', `/admin/reports/daily?${query}`)).status).toBe(422);
  expect((await read<Daily>('daily?report=usage&from=2025-11-20')).from).toBe('2025-11-20');
});

test('a file has each day twice, and the audit has who took it', async () => {
  const { text, name } = await file('daily.csv?report=takings');
  expect(name).toBe('attachment; filename="raha-takings-2026-10-22-2026-11-20.csv"');
  expect(text.split('\r\n')).toEqual([
    'day,jalali_day,what,count,toman',
    '2026-11-18,1405/08/27,zarinpal,1,7000',
    '2026-11-20,1405/08/29,nextpay,1,50000',
    '2026-11-20,1405/08/29,zarinpal,2,320000',
    '',
  ]);
  const { rows } = await sql<{ actor: string; details: object }>`
    SELECT actor, details FROM audit_entry WHERE action = 'reports.export'
  `.execute(world.deps.db);
  expect(rows).toEqual([
    {
      actor: finance.userId,
      details: { report: 'takings', from: '2026-10-22', to: '2026-11-20', lines: 3 },
    },
  ]);
  // Finance finds it in its part of the audit.
  const { body } = await finance.browser.call('GET', '/admin/audit?action=reports.export');
  expect((body.data as { entries: object[] }).entries).toHaveLength(1);
});

test('servers with cost and margin; a name cannot become a formula', async () => {
  await sql`
    INSERT INTO node (id, name, country, city, wireguard_port, address_limit, created_at, cost_usd_micros_per_gb)
    VALUES (gen_random_uuid(), '=1+1', 'DE', 'Berlin', 51820, 100, now(), 5000)
  `.execute(world.deps.db);
  const { nodes } = await read<{ nodes: object[] }>('nodes');
  expect(nodes).toEqual([{ name: '=1+1', status: 'active', gb: 0, charged: 0, cost: 0, margin: 0 }]);
  expect((await file('nodes.csv')).text.split('\r\n')[1]).toMatch(
    /^"'=1\+1",active,2026-10-22,2026-11-20,1405\/07\/30,/,
  );
});

test('what is owed, without whose it is, read once for ten minutes', async () => {
  const before = await read<Liability>('liability');
  const of = (all: Liability, what: string) => all.lines.find((line) => line.what === what)?.toman;
  expect(of(before, 'refunds')).toBe(50_000);
  const { rows } = await sql<{ sum: bigint }>`
    SELECT sum(balance)::bigint AS sum FROM ledger_account WHERE kind = 'user_wallet'
  `.execute(world.deps.db);
  expect(of(before, 'wallets')).toBe(Number(rows[0]?.sum));
  await world.user({ usdCents: 1_000 });
  expect(await read<Liability>('liability')).toEqual(before);
  clock.advance(11 * 60_000);
  expect(of(await read<Liability>('liability'), 'wallets')).toBeGreaterThan(of(before, 'wallets') ?? 0);
});

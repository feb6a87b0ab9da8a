import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { Prices } from '@raha/contract/admin/prices.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSettings, setSettingByKey } from '../../src/app/all-settings.ts';
import { changeSetting } from '../../src/app/change-setting.ts';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { bookPastHours } from '../../src/modules/billing/book-usage.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { migrateSchema } from '../../src/platform/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { type Colleague, openColleague, openStaffSession } from '../staff.ts';
import { actor, openTestWorld, type SentMail, type TestWorld } from '../world.ts';

/** The price of a gigabyte, changed in the console: at once, and from a moment on (decision 118). Two processes of one installation. */
const clock = manualClock(new Date('2026-11-26T08:00:00Z'));
let database: TestDatabase;
let world: TestWorld;
let other: TestWorld;
let boss: Colleague;
let finance: Colleague;
let node: FakeNode;

beforeAll(async () => {
  database = await createTestDatabase();
  world = await openTestWorld({ database, clock, restores: false });
  // Either process may send the mails of both.
  const mailer = { send: async (mail: SentMail) => void world.mails.push(mail) };
  const same = { ...database, drop: async () => undefined };
  other = await openTestWorld({ database: same, clock, keepSettings: true, overrides: { mailer } });
  // What a second member decides: price-approvals.test.ts.
  await setSettingByKey(world.deps.db, 'approvals.pricesAlone', 'true', clock.now());
  boss = await openColleague(world, 'super_admin');
  finance = await openColleague(world, 'finance');
  node = await enrolFakeNode(world);
});
afterAll(async () => {
  await other?.close();
  await world?.proveLedger();
  await world?.close();
});

const MINUTE = 60_000;
const inMinutes = (minutes: number) => new Date(clock.now().getTime() + minutes * MINUTE).toISOString();
const { planMinutes, cancelSeconds } = staffLimits.prices;

/** A call with a factor shown just now. */
async function call(member: Colleague, method: 'GET' | 'POST', path: string, body?: object) {
  const cookie = await openStaffSession(world, member.userId);
  const response = await fetch(`${world.origin}/api/v1/admin${path}`, {
    method,
    headers: { cookie, 'x-raha-console': '1', 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const json = (await response.json()) as { code?: string; data?: unknown };
  return { status: response.status, code: json.code, data: json.data };
}

const list = async () => (await call(boss, 'GET', '/prices')).data as Prices;
const change = async (cents: number, more: { from?: string; seen?: string | null; member?: Colleague } = {}) => {
  const { member = boss, ...rest } = more;
  const seen = 'seen' in rest ? rest.seen : (await list()).seen;
  const body = { usd_cents_per_gb: cents, reason: 'the servers cost more', ...rest, seen };
  return await call(member, 'POST', '/prices', body);
};
const cancel = async (id: string) => await call(boss, 'POST', `/prices/${id}/cancel`, { reason: 'not yet' });
const idOf = ({ data }: { data?: unknown }) => (data as { id: string }).id;
/** What each process asks for a gigabyte now. */
const asked = async () =>
  await Promise.all([world, other].map(async (process) => (await process.client().getPrices()).data.usdCentsPerGb));

test('before the first change the price of the product holds; it is changed at once, with a reason and who', async () => {
  expect(await list()).toMatchObject({ usd_cents_per_gb: 3, versions: [], seen: null, rate: 80_000 });
  const changed = await change(4, { member: finance });
  expect(changed).toMatchObject({ status: 200, data: { from: clock.now().toISOString() } });
  await expect.poll(asked).toEqual([4, 4]);
  const { versions, seen } = await list();
  expect(versions).toMatchObject([
    { id: seen, state: 'in_force', usd_cents_per_gb: 4, by: finance.email, reason: 'the servers cost more' },
  ]);
  const [entry] = await listEntries(world.deps.db, { action: 'prices.change' }, 1);
  expect(entry).toMatchObject({ actor: finance.userId, target_id: seen, changed: { usdCentsPerGb: [3, 4] } });
});

test('only those who may, with a factor of the last minutes', async () => {
  const seen = (await list()).seen;
  for (const role of ['support', 'auditor'] as const)
    expect((await change(9, { seen, member: await openColleague(world, role) })).status).toBe(403);
  const cookie = await openStaffSession(world, boss.userId, new Date(clock.now().getTime() - 6 * MINUTE));
  const late = await fetch(`${world.origin}/api/v1/admin/prices`, {
    method: 'POST',
    headers: { cookie, 'x-raha-console': '1', 'content-type': 'application/json' },
    body: JSON.stringify({ usd_cents_per_gb: 9, seen, reason: 'the servers cost more' }),
  });
  expect(late.status).toBe(401);
  expect((await change(-1, { seen })).status).toBe(422);
  expect(await asked()).toEqual([4, 4]);
});

test('from its moment on a planned price holds in every process; a lease given before keeps its own', async () => {
  const user = await world.user({ usdCents: 100 });
  const { data } = await user.api.createConfig({ body: { name: 'phone', serverId: node.id } });
  const config = data.config.id;
  await node.sync();
  const lease = node.limitOf(config);
  const planned = await change(8, { from: inMinutes(10) });
  expect(planned.status).toBe(200);
  expect((await list()).versions[0]).toMatchObject({ id: idOf(planned), state: 'planned' });
  // Both have read it, and are not told again.
  expect(await asked()).toEqual([4, 4]);
  clock.advance(10 * MINUTE - 1);
  expect(await asked()).toEqual([4, 4]);
  clock.advance(1);
  expect(await asked()).toEqual([8, 8]);
  expect((await list()).versions.map(({ state }) => state)).toEqual(['in_force', 'over']);
  // The whole of the old lease, and some of one that was given at the new price.
  await node.report([{ config, down: lease }]);
  await node.sync();
  await node.report([{ config, down: lease + 1_000_000 }]);
  clock.advance(2 * 60 * MINUTE);
  await bookPastHours(world.deps);
  const { rows } = await sql<{ price: bigint; start_byte: bigint }>`
    SELECT segment_price AS price, segment_start AS start_byte FROM meter WHERE config_id = ${config}
    UNION ALL SELECT price, start_byte FROM price_segment WHERE config_id = ${config} ORDER BY 2
  `.execute(world.deps.db);
  // 80,000 toman for a dollar; in thousandths of a toman.
  expect(rows).toEqual([
    { price: 3_200_000n, start_byte: 0n },
    { price: 6_400_000n, start_byte: BigInt(lease) },
  ]);
});

test('a planned moment is at least two minutes and at most a year from now, and one at a time is planned', async () => {
  for (const minutes of [-1, 0, planMinutes - 0.01, 367 * 1_440])
    expect(await change(5, { from: inMinutes(minutes) })).toMatchObject({ status: 409, code: 'price_moment' });
  const planned = await change(5, { from: inMinutes(planMinutes) });
  expect(planned.status).toBe(200);
  expect(await change(6, { from: inMinutes(30) })).toMatchObject({ status: 409, code: 'price_planned' });
  // At once meanwhile, and what is planned comes all the same.
  expect((await change(7)).status).toBe(200);
  await expect.poll(asked).toEqual([7, 7]);
  clock.advance(planMinutes * MINUTE);
  expect(await asked()).toEqual([5, 5]);
});

test('of two members at once one changes the price; the other decides anew', async () => {
  for (const from of [undefined, inMinutes(30)]) {
    const seen = (await list()).seen;
    const both = await Promise.all(
      [boss, finance].map((member, n) => change(10 + n, { seen, member, ...(from ? { from } : {}) })),
    );
    expect(both.map(({ status, code }) => code ?? status).sort()).toEqual([200, 'prices_changed']);
  }
  expect((await cancel((await list()).seen ?? '')).status).toBe(200);
});

test('cancelled or in force, and never both', async () => {
  const before = (await list()).usd_cents_per_gb;
  const first = idOf(await change(20, { from: inMinutes(5) }));
  await expect.poll(asked).toEqual([before, before]);
  clock.advance(5 * MINUTE - (cancelSeconds + 1) * 1_000);
  const twice = await Promise.all([cancel(first), cancel(first)]);
  expect(twice.map(({ status, code }) => code ?? status).sort()).toEqual([200, 'price_in_force']);
  const known = async () =>
    (await sql`SELECT FROM price_version WHERE id = ${first} AND cancelled_at IS NOT NULL`.execute(other.deps.db)).rows
      .length;
  expect(await known()).toBe(1);
  expect((await list()).versions.find(({ id }) => id === first)).toMatchObject({
    ...{ state: 'cancelled', cancelled_by: boss.email },
  });
  const second = idOf(await change(21, { from: inMinutes(5) }));
  clock.advance(5 * MINUTE - cancelSeconds * 1_000);
  expect(await cancel(second)).toMatchObject({ status: 409, code: 'price_in_force' });
  clock.advance(cancelSeconds * 1_000);
  // The moment of the first one was before, and it did not come.
  expect(await asked()).toEqual([21, 21]);
  expect(await cancel(second)).toMatchObject({ status: 409, code: 'price_in_force' });
  expect((await cancel('00000000-0000-7000-8000-000000000000')).status).toBe(404);
});

test('the command line sets it at once, as a setting', async () => {
  await changeSetting(world.deps, { actor, key: 'price.usdCentsPerGb', text: '6' });
  expect(await readSettings(world.deps.db, clock.now(), 'price.usdCentsPerGb')).toEqual({ 'price.usdCentsPerGb': 6 });
  await expect.poll(asked).toEqual([6, 6]);
  const inForce = (await list()).versions.filter(({ state }) => state === 'in_force');
  expect(inForce).toMatchObject([{ usd_cents_per_gb: 6, by: null }]);
  const wrong = changeSetting(world.deps, { actor, key: 'price.usdCentsPerGb', text: '-1' });
  await expect(wrong).rejects.toThrow('does not fit');
});

test('what was stays: no price, moment or reason is changed, and no row goes', async () => {
  for (const statement of [
    sql`UPDATE price_version SET usd_cents_per_gb = 1`,
    sql`UPDATE price_version SET valid_from = valid_from + interval '1 day', cancelled_at = created_at`,
    sql`UPDATE price_version SET reason = 'another', cancelled_at = created_at`,
    sql`UPDATE price_version SET cancelled_at = NULL, cancelled_by = NULL WHERE cancelled_at IS NOT NULL`,
    sql`DELETE FROM price_version`,
    sql`TRUNCATE price_version`,
  ])
    await expect(statement.execute(world.deps.db)).rejects.toThrow('stay as they were');
  // What is in force was never cancelled before its moment.
  const late = sql`UPDATE price_version SET cancelled_at = valid_from WHERE cancelled_at IS NULL`;
  await expect(late.execute(world.deps.db)).rejects.toThrow('price_version_cancelled_in_time');
});

test('a database of the release before keeps its price, as the first version', async () => {
  const old = await createTestDatabase({ empty: true });
  const client = new pg.Client(old.url);
  try {
    await migrateSchema(old.url, { to: '0113_staff_tokens' });
    await client.connect();
    await client.query(`INSERT INTO setting VALUES ('price.usdCentsPerGb', '7', '2026-05-01T10:00:00Z')`);
    await migrateSchema(old.url);
    const { rows } = await client.query('SELECT usd_cents_per_gb, valid_from, created_by FROM price_version');
    expect(rows).toEqual([{ usd_cents_per_gb: 7, valid_from: new Date('2026-05-01T10:00:00Z'), created_by: null }]);
  } finally {
    await client.end();
    await old.drop();
  }
});

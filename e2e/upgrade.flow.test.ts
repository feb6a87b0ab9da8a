import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../server/src/app/migrate.ts';
import { manualClock } from '../server/src/platform/clock.ts';
import { createTestDatabase, type TestDatabase } from '../server/test/database.ts';
import { openTestWorld, TEST_RATE, type TestWorld } from '../server/test/world.ts';
import { type Bill, type ControlPlane, type Device, runFleet } from './metering/fleet.ts';
import { expectHonest, FIRST_PRICE, planOf, walletsOf } from './metering/fleet-plans.ts';
import { MemoryControlPlane } from './metering/memory-control-plane.ts';
import { earlierLeaseRules } from './metering/memory-leases.ts';
import { SqlControlPlane } from './metering/sql-control-plane.ts';

/**
 * A database of commit ab2f487 is migrated in the middle of a fleet's life.
 *
 * The fixture is all rows of that database: two users with payments, a refund, a transfer, a plan and configs of all
 * protocols, and a fleet of three nodes with twelve configs (all protocols, running leases, closed price segments) after
 * the first half of its run. Its first line says which fleet it was, what was billed until then, and what the API of
 * that commit answered to the two users. Here the nodes live through the first half against the rules in memory, which
 * are shown to give the same bills as the database; then the database is migrated, and the nodes go on against it.
 */
interface Fixture {
  readonly origin: string;
  readonly begin: string;
  readonly at: string;
  readonly seed: number;
  readonly size: Parameters<typeof walletsOf>[0];
  /** Ticks of ten seconds before the upgrade. */
  readonly half: number;
  readonly nodes: string[];
  readonly people: string[];
  readonly devices: Device[];
  readonly bills: Record<keyof Bill, string>[];
  readonly answers: { token: string; path: string; text: string }[];
}

const LAST_MIGRATION = '0037_first_given';
const TICK_MS = 10_000;
const [header = '', ...rows] = readFileSync(join(import.meta.dirname, '../server/test/fixtures/ab2f487.jsonl'), 'utf8')
  .trimEnd()
  .split('\n');
const fixture = JSON.parse(header) as Fixture;
const clock = manualClock(new Date(fixture.at));
let database: TestDatabase;
let world: TestWorld | undefined;

beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  await migrate(database.url, { to: LAST_MIGRATION });
  await fillDatabase(database.url);
});
afterAll(async () => {
  if (world) await world.close();
  else await database.drop();
});

test('a database of ab2f487 is migrated while a fleet runs: same bills to the byte, same answers, clean ledger', async () => {
  const { devices, size, seed } = fixture;
  // The release before had no recall, so spending begins after the upgrade.
  const plan = { ...planOf(seed, devices, size), spendsFrom: fixture.half + 1 };
  const newMemory = () =>
    new MemoryControlPlane(
      devices,
      walletsOf(size),
      { cents: FIRST_PRICE, tomanPerDollar: TEST_RATE },
      earlierLeaseRules,
    );
  const memory = newMemory();
  let control: ControlPlane = memory;
  const upgrade = async () => {
    expect((await memory.bills()).map(toText)).toMatchObject(fixture.bills);
    await migrate(database.url);
    world = await openTestWorld({ database, clock, restores: false, keepSettings: true });
    const resumed = SqlControlPlane.resume(world, clock, new Date(fixture.begin), fixture);
    expect((await resumed.bills()).map(toText)).toMatchObject(fixture.bills);
    await expectSameAnswers(world);
    await world.proveLedger();
    control = resumed;
  };
  const outcome = await runFleet(plan, {
    advance: async (now) => {
      if (!world && now > fixture.half * TICK_MS) await upgrade();
      await control.advance(now);
    },
    report: (...call) => control.report(...call),
    desired: (...call) => control.desired(...call),
    topUp: (...call) => control.topUp(...call),
    restore: (...call) => control.restore(...call),
    reclaim: () => control.reclaim(),
    spend: (...call) => control.spend(...call),
    setPrice: (...call) => control.setPrice(...call),
    bills: () => control.bills(),
  });
  const { passed } = expectHonest(plan, outcome);
  expect(passed).toBeGreaterThan(100_000_000);
  // The same life in memory, with longer leases from the upgrade on.
  const other = newMemory();
  const advance = other.advance.bind(other);
  let isUpgraded = false;
  other.advance = async (now) => {
    if (!isUpgraded && now > fixture.half * TICK_MS) other.upgrade();
    isUpgraded ||= now > fixture.half * TICK_MS;
    await advance(now);
  };
  expect(outcome.bills).toEqual((await runFleet(plan, other)).bills);
  await world?.proveLedger();
});

async function expectSameAnswers({ origin }: TestWorld): Promise<void> {
  expect(fixture.answers.length).toBeGreaterThan(40);
  for (const { token, path, text } of fixture.answers) {
    const response = await fetch(`${origin}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
    const now = (await response.text()).replaceAll(origin, fixture.origin);
    const before = readable(text);
    // Later releases may add fields; nothing that was there changes or goes.
    if (typeof before === 'object') expect(asBefore(path, readable(now)), path).toMatchObject(before as object);
    else expect(now, path).toEqual(before);
  }
}

/** What changed on purpose: what was bought with the money paid in is no longer added to it, and two more kinds are mailed. */
function asBefore(path: string, answer: unknown): unknown {
  if (path === '/user/export') {
    const before = answer as { notifications_by_mail: readonly string[] };
    const known = before.notifications_by_mail.filter((kind) => kind !== 'entry_blocked' && kind !== 'config_traced');
    return { ...before, notifications_by_mail: known };
  }
  if (path !== '/payments/stats') return answer;
  const { data } = answer as { data: { totalAmount: number; totalPurchases: number } };
  return { success: true, data: { ...data, totalAmount: data.totalAmount + data.totalPurchases } };
}

function readable(text: string): unknown {
  return text.startsWith('{') ? (JSON.parse(text) as unknown) : text;
}

function toText(bill: Bill): Record<string, string> {
  return Object.fromEntries(Object.entries(bill).map(([key, value]) => [key, String(value)]));
}

/**
 * Each line is a table and one of its rows as JSON. Parents come before children, because the owner of a database cannot
 * turn foreign keys off. The triggers of the ledger are off: transfers and entries arrive table by table.
 */
async function fillDatabase(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const found = await client.query<{ child: string; parent: string }>(`
      SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent FROM pg_constraint
      WHERE contype = 'f' AND conrelid <> confrelid AND connamespace = 'public'::regnamespace
    `);
    const lines = Map.groupBy(rows, (row) => row.slice(0, row.indexOf('\t')));
    const order = parentsFirst([...lines.keys()], found.rows);
    for (const table of order) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    for (const table of order.toReversed()) await client.query(`DELETE FROM ${table}`);
    for (const table of order) {
      const json = (lines.get(table) ?? []).map((line) => line.slice(table.length + 1));
      const insert = `INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`;
      await client.query(insert, [`[${json.join(',')}]`]);
    }
    for (const table of order) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  } finally {
    await client.end();
  }
}

function parentsFirst(tables: readonly string[], links: readonly { child: string; parent: string }[]): string[] {
  const order: string[] = [];
  const visit = (table: string) => {
    if (order.includes(table) || !tables.includes(table)) return;
    for (const { child, parent } of links) if (child === table) visit(parent);
    order.push(table);
  };
  for (const table of tables) visit(table);
  return order;
}

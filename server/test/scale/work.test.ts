import { readFileSync, writeFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger, shareOut } from '../../src/app/check-ledger.ts';
import { allSchedules } from '../../src/app/work.ts';
import { listProvedMonths } from '../../src/modules/ledger/proofs.ts';
import { sumByType, sumPayments } from '../../src/modules/wallet/sum-tables.ts';
import { addDays, addSeconds, manualClock } from '../../src/platform/clock.ts';
import { agedRows } from '../aged-rows.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { openTestWorld, type TestUser, type TestWorld } from '../world.ts';
import type { Budget } from './budgets.ts';
import { buffersOf, type Cost, costOf } from './counters.ts';
import { insertPopulation, STEP } from './people.ts';
import { monthBudget, workBudgets } from './work-budgets.ts';

/**
 * What every schedule costs the database when there is nothing to do but the proof of what is new, among SCALE_PEOPLE users
 * (6,000) and as many rows in what is deleted by age. A budget does not depend on that number. `WRITE_BUDGETS=1` writes them anew.
 */
const PEOPLE = Math.max(6_000, Number(process.env.SCALE_PEOPLE ?? 6_000));
let world: TestWorld;
let model: TestUser;
let writtenAt: Date;
const costs = new Map<string, Cost>();

beforeAll(async () => {
  // The clock stands still: a hundred thousand people take longer to write than what a schedule calls recent.
  world = await openTestWorld({ connections: 1, clock: manualClock(new Date()) });
  const nodes: FakeNode[] = [await enrolFakeNode(world), await enrolFakeNode(world)];
  model = await world.user({ usdCents: 50_000 });
  writtenAt = world.deps.clock.now();
  await insertPopulation(world.deps.db, {
    count: PEOPLE,
    nodeIds: nodes.map(({ id }) => id),
    modelId: model.id,
    oldIds: [],
    payerIds: [],
    now: writtenAt,
    hours: 24,
    bookedNow: 50,
  });
  await insertYoungRows();
  await sql`UPDATE node SET monthly_cap_gb = 1000`.execute(world.deps.db);
  // The first run proves every month and may fill what a process keeps in memory.
  for (const { run } of allSchedules) await run(world.deps);
  for (const schedule of allSchedules) costs.set(schedule.name, await costOfRun(schedule.name, schedule.run));
  if (process.env.WRITE_BUDGETS) writeBudgets();
  if (process.env.SHOW_COSTS) console.log(JSON.stringify(Object.fromEntries(costs), undefined, 1));
}, 3_600_000);
afterAll(() => world.close());

test('every schedule stays within its budget of queries and rows', () => {
  const over = [...costs].filter(([name, cost]) => !isWithin(workBudgets[name], cost));
  expect(Object.fromEntries(over.map(([name, cost]) => [name, { cost, budget: workBudgets[name] }]))).toEqual({});
});

test('every budget belongs to a schedule', () => {
  expect(Object.keys(workBudgets).filter((name) => !costs.has(name))).toEqual([]);
});

test('a budget is far below the number of users, except where it says why', () => {
  expect(Object.entries(workBudgets).filter(([, { rows, why }]) => rows >= PEOPLE / 2 && !why)).toEqual([]);
});

test('the proof of a month stays within its budget of rows and pages for each user', async () => {
  const { db, clock } = world.deps;
  // So that all is counted by this connection.
  await sql`SET max_parallel_workers_per_gather = 0`.execute(db);
  const months = await shareOut(db, await listProvedMonths(db, clock.now()));
  const over: unknown[] = [];
  for (const month of months) {
    const { rows, most } = await costOf(db, () => checkLedger(db, month));
    const touched = await buffersOf(db, () => checkLedger(db, month));
    const cost = { month: month.month, rows: rows / PEOPLE, pages: touched / PEOPLE };
    if (process.env.SHOW_COSTS) console.log(JSON.stringify(cost));
    // Of users written in more than one step the rows of a month do not lie together, and nearly each costs a page of its own.
    const pages = PEOPLE <= STEP ? monthBudget.pages : Number.POSITIVE_INFINITY;
    if (cost.rows > monthBudget.rows || cost.pages > pages) over.push({ ...cost, most });
  }
  expect(over).toEqual([]);
}, 3_600_000);

test('the sums of a wallet are planned once for a connection, not for each call', async () => {
  const { db, clock } = world.deps;
  for (let turn = 0; turn < 12; turn += 1) {
    await sumByType(db, model.id, addDays(clock.now(), -30));
    await sumPayments(db, model.id, addDays(clock.now(), -30));
  }
  // PostgreSQL makes five plans for the values given, and then one for all values, unless it expects that to be dearer.
  const { rows } = await sql`
    SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%wallet_sum%' AND custom_plans > 5
  `.execute(db);
  expect(rows).toEqual([]);
});

/** Again if it is over its budget, because PostgreSQL may have been analysing a table just then. */
async function costOfRun(name: string, run: (deps: TestWorld['deps']) => Promise<unknown>): Promise<Cost> {
  let cost: Cost | undefined;
  for (let turn = 0; turn < 3 && !(cost && isWithin(workBudgets[name], cost)); turn += 1) {
    // However long it took until here, what was booked five minutes before the users were written is new.
    await sql`UPDATE ledger_proof SET proved_at = ${addSeconds(writtenAt, -300)} WHERE part = 'new'`.execute(
      world.deps.db,
    );
    cost = await costOf(world.deps.db, () => run(world.deps));
  }
  return cost as Cost;
}

function isWithin(budget: Budget | undefined, { queries, rows }: Cost): boolean {
  return budget !== undefined && queries <= budget.queries && rows <= budget.rows;
}

/** In every table whose old rows are deleted, a row for each user that is too young for that. */
async function insertYoungRows(): Promise<void> {
  for (const [table, { insert }] of agedRows)
    if (table !== 'connection') await sql.raw(insert("now() + interval '1 minute'", 'users')).execute(world.deps.db);
  // There are three gateways, not one for each user. So few rows are on one page, of which PostgreSQL reads all.
  await sql`DELETE FROM gateway_minute WHERE ctid NOT IN (SELECT ctid FROM gateway_minute LIMIT 15)`.execute(
    world.deps.db,
  );
  await sql`INSERT INTO trial (user_id, limit_bytes) SELECT id, 1 FROM users ON CONFLICT DO NOTHING`.execute(
    world.deps.db,
  );
  await sql`
    INSERT INTO connection (config_id, started_at, ended_at, start_bytes, end_bytes)
      SELECT id, now() - interval '2 days', now() - interval '1 day', 0, 0 FROM config ON CONFLICT DO NOTHING
  `.execute(world.deps.db);
  await sql`ANALYZE`.execute(world.deps.db);
}

function writeBudgets(): void {
  const file = new URL('./work-budgets.ts', import.meta.url);
  const [head] = readFileSync(file, 'utf8').split('export const workBudgets');
  const lines = [...costs].map(([name, { queries, rows }]) => {
    const why = workBudgets[name]?.why;
    const room = `queries: ${queries + 1}, rows: ${Math.ceil((rows * 1.5 + 20) / 10) * 10}`;
    return `  '${name}': { ${room}${why ? `, why: '${why}'` : ''} },`;
  });
  writeFileSync(
    file,
    `${head}export const workBudgets: Readonly<Record<string, Budget>> = {\n${lines.join('\n')}\n};\n`,
  );
}

import { readFileSync, writeFileSync } from 'node:fs';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configsPerUser } from '../../src/modules/configs/settings.ts';
import { getCentsPerGb } from '../../src/modules/pricing/price-versions.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { getSetting } from '../../src/platform/settings.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { type Belongings, openBelongings, requests, sendCall, type WireRequest } from '../flows/every-request.ts';
import { openTestWorld, type TestUser, type TestWorld, unlimited } from '../world.ts';
import { type Budget, budgets } from './budgets.ts';
import { type Cost, costOf } from './counters.ts';
import { insertPopulation } from './people.ts';

/**
 * What every call of the API costs the database, for a user with a usual history and for one of three years and ten
 * thousand payments, among SCALE_PEOPLE others (6,000). The budgets do not depend on that number: a call that reads all users, all
 * payments or the whole ledger exceeds its budget. `WRITE_BUDGETS=1` writes them anew.
 */
const PEOPLE = Math.max(6_000, Number(process.env.SCALE_PEOPLE ?? 6_000));
const NODES = 20;
/** A call that found nothing for one of the two users differs by so many. */
const FEW_ROWS = 60;
/** Its answer has no end. */
const STREAMS = ['stream'];

/** Of the account with ten thousand payments, a page that is neither near its first nor its last. */
const FAR = '400';
const farPage = (name: string) => `${name} (old account, page ${FAR})`;

let world: TestWorld;
let has: Belongings;
let old: TestUser;
let nodes: FakeNode[];
const costs = new Map<string, Cost>();

beforeAll(async () => {
  // A job that restores service after money came in runs beside a later call, and its statements would be counted with it.
  world = await openTestWorld({
    // Stands still: a hundred thousand people take longer to write than a token lives.
    clock: manualClock(new Date()),
    connections: 1,
    restores: false,
    keepsNodes: false,
    // Settings are not read again because time has passed: on a busy machine the export of an old account takes longer.
    overrides: { minuteLimit: unlimited, settingsKeptMs: 3_600_000 },
  });
  has = await openBelongings(world);
  old = await world.user({ usdCents: 50_000 });
  nodes = [];
  for (let count = 0; count < NODES; count += 1) nodes.push(await enrolFakeNode(world));
  await insertPopulation(world.deps.db, {
    count: PEOPLE,
    nodeIds: nodes.map(({ id }) => id),
    modelId: old.id,
    oldIds: [old.id],
    payerIds: [has.owner.id],
    now: world.deps.clock.now(),
  });
  for (const name of Object.keys(publicEndpoints)) {
    if (STREAMS.includes(name)) continue;
    costs.set(name, await costOfCall(name as keyof typeof publicEndpoints, has.owner));
    if (publicEndpoints[name as keyof typeof publicEndpoints].method === 'GET')
      costs.set(`${name} (old account)`, await costOfCall(name as keyof typeof publicEndpoints, old));
  }
  for (const name of ['listWalletTransactions', 'listPayments'] as const)
    costs.set(farPage(name), await costOfCall(name, old, FAR));
  await measureNode();
  if (process.env.WRITE_BUDGETS) writeBudgets();
  if (process.env.SHOW_COSTS) console.log(JSON.stringify(Object.fromEntries(costs), undefined, 1));
}, 3_600_000);
afterAll(() => world.close());

test('every call stays within its budget of queries and rows', () => {
  const over = [...costs].filter(([name, cost]) => !isWithin(budgets[name], cost));
  expect(Object.fromEntries(over.map(([name, cost]) => [name, { cost, budget: budgets[name] }]))).toEqual({});
});

test('what an open panel requests every minute asks the database once', () => {
  const asked = ['me', 'getDashboard', 'getDashboardTraffic', 'listConfigs'].map((name) => [name, costs.get(name)]);
  expect(asked).toEqual(asked.map(([name]) => [name, expect.objectContaining({ messages: 1 })]));
});

test('an old account costs at most twice what a young one does, except where the budget says why', () => {
  const dear = [...costs].flatMap(([name, { rows, most }]) => {
    const young = costs.get(name.replace(' (old account)', ''))?.rows ?? 0;
    const isDear = name.endsWith('(old account)') && !budgets[name]?.why && rows > 2 * young + FEW_ROWS;
    return isDear ? [{ name, rows, young, most }] : [];
  });
  expect(dear).toEqual([]);
});

test('every budget belongs to a call', () => {
  expect(Object.keys(budgets).filter((name) => !costs.has(name))).toEqual([]);
  // Statements are counted at all: signing in reads the account and writes a session.
  expect(costs.get('login')?.queries).toBeGreaterThan(2);
});

test('a budget is far below the number of users, except where it says why', () => {
  const large = Object.entries(budgets).filter(([, { rows, why }]) => rows >= PEOPLE / 2 && !why);
  expect(large).toEqual([]);
});

test('the written population keeps every invariant', () => world.proveLedger(), 3_600_000);

/**
 * The second of two equal calls, because the first one may fill what a process keeps in memory; a later one if that is over
 * its budget, because PostgreSQL may have been analysing a table just then, or read entries of rows that earlier calls replaced.
 */
async function costOfCall(name: keyof typeof publicEndpoints, user: TestUser, page?: string): Promise<Cost> {
  const { method, path, caller } = publicEndpoints[name];
  const budget = budgets[page ? farPage(name) : user === old ? `${name} (old account)` : name];
  let cost: Cost = { queries: 0, messages: 0, rows: 0, most: {} };
  for (const turn of [1, 2, 3, 4]) {
    if (turn > 2 && isWithin(budget, cost)) break;
    if (turn > 2)
      await sql`VACUUM meter, config, subscription, ledger_account, node, node_presence, users`.execute(world.deps.db);
    // A server that was silent for too long refuses these, which costs less than what is measured here.
    if (name === 'createConfig' || name === 'connect') for (const node of nodes) await node.report([]);
    // Codes sent earlier are made older, so that no rate limit depends on how fast this runs.
    await sql`UPDATE email_challenge SET created_at = created_at - interval '2 days'`.execute(world.deps.db);
    await keepNodesOnline();
    const usual = (await requests[name](has)) as WireRequest;
    const request = page ? { ...usual, query: { page } } : usual;
    const token = caller === 'refresh' ? undefined : user.token;
    let status = 0;
    await readSettings();
    cost = await costOf(world.deps.db, async () => {
      const response = await sendCall(world.origin, method, API_BASE + path, request, token);
      await response.arrayBuffer();
      status = response.status;
    });
    if (user === has.owner && turn === 1) expect([name, status < 500]).toEqual([name, true]);
  }
  return cost;
}

/** Between two calls, because what is written while one is counted is counted with it. */
async function keepNodesOnline(): Promise<void> {
  const now = world.deps.clock.now();
  await sql`UPDATE node_presence SET seen_at = ${now} WHERE seen_at < ${now}::timestamptz - interval '5 seconds'`.execute(
    world.deps.db,
  );
}

/** A call that changed a setting made the process forget them all, and reading them again would be counted. */
async function readSettings(): Promise<void> {
  await getSetting(world.deps.db, configsPerUser);
  await getCentsPerGb(world.deps.db, world.deps.clock.now());
}

function isWithin(budget: Budget | undefined, { queries, rows }: Cost): boolean {
  return budget !== undefined && queries <= budget.queries && rows <= budget.rows;
}

async function measureNode(): Promise<void> {
  const node = nodes[0] as FakeNode;
  await node.settle();
  const configs = (
    await sql<{
      id: string;
    }>`SELECT config_id AS id FROM meter WHERE node_id = ${node.id} ORDER BY config_id LIMIT 20`.execute(world.deps.db)
  ).rows.map(({ id }) => id);
  await node.report(configs.map((config) => ({ config })));
  costs.set('node: report of 20 configs', await costOfReport('node: report of 20 configs', node, configs));
  costs.set('node: empty report', await costOfReport('node: empty report', node, []));
}

/** Again if it is over its budget: the settings in memory may have become old just then. */
async function costOfReport(name: string, node: FakeNode, configs: readonly string[]): Promise<Cost> {
  const measure = async () => {
    await readSettings();
    return await costOf(world.deps.db, () => node.report(configs.map((config) => ({ config }))));
  };
  let cost = await measure();
  for (let turn = 1; turn < 4 && !isWithin(budgets[name], cost); turn += 1) cost = await measure();
  return cost;
}

function writeBudgets(): void {
  const file = new URL('./budgets.ts', import.meta.url);
  const [head] = readFileSync(file, 'utf8').split('export const budgets');
  const lines = [...costs].map(([name, { queries, rows }]) => {
    const why = budgets[name]?.why;
    const room = `queries: ${queries + 1}, rows: ${Math.ceil((rows * 1.5 + 20) / 10) * 10}`;
    return `  '${name}': { ${room}${why ? `, why: '${why}'` : ''} },`;
  });
  writeFileSync(file, `${head}export const budgets: Readonly<Record<string, Budget>> = {\n${lines.join('\n')}\n};\n`);
}

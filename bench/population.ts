import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { checkLedger } from '../server/src/app/check-ledger.ts';
import { migrate } from '../server/src/app/migrate.ts';
import { allSchedules } from '../server/src/app/work.ts';
import { listProvedMonths } from '../server/src/modules/ledger/proofs.ts';
import { addSeconds } from '../server/src/platform/clock.ts';
import { startEmbeddedPostgres } from '../server/src/platform/embedded-postgres.ts';
import { enrolFakeNode, type FakeNode } from '../server/test/fake-node.ts';
import {
  type Belongings,
  openBelongings,
  requests,
  sendCall,
  type WireRequest,
} from '../server/test/flows/every-request.ts';
import { costOf } from '../server/test/scale/counters.ts';
import { insertPopulation } from '../server/test/scale/people.ts';
import { openTestWorld, PASSWORD, type TestUser, type TestWorld, unlimited } from '../server/test/world.ts';
import type { Figure, Say } from './run.ts';
import { median, percentile } from './statistics.ts';
import { freshDatabase } from './transfers.ts';

const NODES = 20;
const HOURS = 48;
const OLD = 3;
const TURNS = 15;
/** Its answer has no end. */
const STREAM = 'stream';

/** What a call, a schedule or a proof costs. */
interface Measured {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly serverCpuMs: number;
  readonly databaseCpuMs: number;
  readonly queries: number;
  readonly rows: number;
  readonly buffers: number;
}

/**
 * (l) Every call of the API, every schedule and every proof among more and more people. One connection, so that PostgreSQL's
 * counts are those of what is measured. What counts is growth, so the figures are the worst five.
 */
export async function measurePopulation(sizes: readonly number[], say: Say): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'raha-bench-people-'));
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  try {
    const tables: Map<string, Measured>[] = [];
    for (const size of sizes) {
      const url = await freshDatabase(postgres.url, `bench_people_${size}`);
      await migrate(url);
      tables.push(await measureSize(url, size, say));
    }
    return worst(tables[0] as Map<string, Measured>, tables.at(-1) as Map<string, Measured>, say);
  } finally {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measureSize(url: string, size: number, say: Say): Promise<Map<string, Measured>> {
  const database = { url, drop: async () => undefined };
  const world = await openTestWorld({ database, connections: 1, overrides: { minuteLimit: unlimited } });
  try {
    const belongings = await openBelongings(world);
    const old: TestUser[] = [];
    for (let count = 0; count < OLD; count += 1) old.push(await world.user({ usdCents: 50_000 }));
    const nodes: FakeNode[] = [];
    for (let count = 0; count < NODES; count += 1) nodes.push(await enrolFakeNode(world));
    const begin = performance.now();
    await insertPopulation(world.deps.db, {
      count: size,
      nodeIds: nodes.map(({ id }) => id),
      modelId: (old[0] as TestUser).id,
      oldIds: old.map(({ id }) => id),
      payerIds: [belongings.owner.id],
      now: world.deps.clock.now(),
      hours: HOURS,
      // A tenth uses traffic in an hour, and a minute's proof covers eleven minutes.
      bookedNow: Math.min(5_000, Math.round(size / 60)),
    });
    const { rows } = await sql<{ bytes: bigint; entries: bigint }>`
      SELECT pg_database_size(current_database()) AS bytes, (SELECT reltuples::bigint FROM pg_class WHERE oid = 'ledger_entry'::regclass) AS entries
    `.execute(world.deps.db);
    const seconds = ((performance.now() - begin) / 1_000).toFixed(0);
    say(
      `  ${size} people written in ${seconds} s, ${Number(rows[0]?.bytes) / 2 ** 20} MiB, ${rows[0]?.entries} entries`,
    );
    const table = new Map<string, Measured>();
    const keep = (name: string, measured: Measured) => {
      table.set(name, measured);
      say(`  ${String(size).padStart(8)}  ${line(name, measured)}`);
    };
    for (const [name, prove] of await proofsOf(world)) keep(`proof: ${name}`, await measure(world, prove, 1));
    // Its work is the proofs of all months, of which three are measured above.
    for (const schedule of allSchedules.filter(({ name }) => name !== 'prove the whole ledger'))
      keep(`schedule: ${schedule.name}`, await measure(world, () => schedule.run(world.deps), 3));
    const has = await signInAgain(belongings);
    for (const name of Object.keys(publicEndpoints) as (keyof typeof publicEndpoints)[])
      if (name !== STREAM) keep(name, await measureCall(world, has, name));
    return table;
  } finally {
    await world.close();
  }
}

/** Writing a million people and proving their ledger takes longer than an access token lives. */
async function signInAgain(has: Belongings): Promise<Belongings> {
  const { world, owner } = has;
  const { token } = await world.client().login({ body: { email: owner.email, password: PASSWORD } });
  if (!token) throw new Error('The owner of what is measured could not sign in again.');
  return { ...has, owner: { ...owner, token, api: world.client(token) } };
}

async function proofsOf(world: TestWorld): Promise<[string, () => Promise<unknown>][]> {
  const { db, clock } = world.deps;
  const check = async (time?: Parameters<typeof checkLedger>[1]) => {
    const { violations } = await checkLedger(db, time);
    if (violations.length > 0)
      throw new Error(`The written ledger does not hold: ${JSON.stringify(violations[0], text)}`);
  };
  const months = await listProvedMonths(db, clock.now());
  return [
    ['what is new', () => check({ since: addSeconds(clock.now(), -660) })],
    ...months.slice(-3).map((month): [string, () => Promise<unknown>] => [`month ${month.month}`, () => check(month)]),
    ['everything at once', () => check()],
  ];
}

const text = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

async function measureCall(world: TestWorld, has: Belongings, name: keyof typeof publicEndpoints): Promise<Measured> {
  const { method, path, caller } = publicEndpoints[name];
  let request: WireRequest = {};
  const token = caller === 'refresh' ? undefined : has.owner.token;
  return await measure(
    world,
    async () => {
      const response = await sendCall(world.origin, method, API_BASE + path, request, token);
      await response.arrayBuffer();
      // A refused call costs less than one that answers.
      if (token && response.status === 401) throw new Error(`${name} was not signed in.`);
    },
    TURNS,
    async () => {
      await forgetAttempts(world);
      request = (await requests[name](has)) as WireRequest;
    },
  );
}

/** So that no rate limit depends on how often this calls. */
async function forgetAttempts({ deps: { db } }: TestWorld): Promise<void> {
  await sql`UPDATE email_challenge SET created_at = created_at - interval '2 days'`.execute(db);
  for (const table of ['failed_login', 'failed_redemption', 'unknown_recipient', 'email_change_request'])
    await sql.raw(`DELETE FROM ${table}`).execute(db);
}

/** The turns after the first, which may fill what a process keeps in memory, unless there is only one. */
async function measure(
  world: TestWorld,
  work: () => Promise<unknown>,
  turns: number,
  prepare: () => Promise<unknown> = async () => undefined,
): Promise<Measured> {
  const times: number[] = [];
  const server: number[] = [];
  const database: number[] = [];
  let counted = { queries: 0, rows: 0 };
  let buffers = 0;
  const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(world.deps.db);
  const pid = rows[0]?.pid ?? 0;
  for (let turn = 0; turn < turns; turn += 1) {
    try {
      await prepare();
    } catch (error) {
      // A limit per account that only time resets, such as that of passkeys.
      if (times.length > 0) break;
      throw error;
    }
    const before = await buffersRead(world);
    let spent = { ms: 0, server: 0, database: 0 };
    counted = await costOf(world.deps.db, async () => {
      const [cpu, backend, start] = [process.cpuUsage(), backendMs(pid), performance.now()];
      await work();
      const ms = performance.now() - start;
      const used = process.cpuUsage(cpu);
      spent = { ms, server: (used.user + used.system) / 1_000, database: backendMs(pid) - backend };
    });
    if (turn === 0 && turns > 1) continue;
    times.push(spent.ms);
    server.push(spent.server);
    database.push(spent.database);
    buffers = (await buffersRead(world)) - before;
  }
  return {
    p50Ms: median(times),
    p99Ms: percentile(times, 99),
    serverCpuMs: median(server),
    databaseCpuMs: median(database),
    queries: counted.queries,
    rows: counted.rows,
    buffers,
  };
}

/** Time on a processor, from the scheduler's statistics. */
function backendMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

async function buffersRead({ deps: { db } }: TestWorld): Promise<number> {
  await sql`SELECT pg_stat_force_next_flush()`.execute(db);
  await sql`SELECT 1`.execute(db);
  const { rows } = await sql<{ blocks: bigint }>`
    SELECT sum(coalesce(heap_blks_read + heap_blks_hit, 0) + coalesce(idx_blks_read + idx_blks_hit, 0))::bigint AS blocks
    FROM pg_statio_user_tables WHERE schemaname = 'public'
  `.execute(db);
  return Number(rows[0]?.blocks ?? 0n);
}

function line(name: string, { p50Ms, p99Ms, serverCpuMs, databaseCpuMs, queries, rows, buffers }: Measured): string {
  const ms = (value: number) => value.toFixed(1).padStart(9);
  const count = (value: number) => String(value).padStart(9);
  const counts = [queries, rows, buffers].map(count).join('');
  return `${name.padEnd(50)} p50${ms(p50Ms)} p99${ms(p99Ms)} cpu${ms(serverCpuMs)} +${ms(databaseCpuMs)} ms${counts}`;
}

/**
 * The five calls and schedules whose CPU grew most, among those that cost anything: below a millisecond a ratio says little.
 * A proof grows with what there is to prove, and is only shown.
 */
function worst(first: ReadonlyMap<string, Measured>, last: ReadonlyMap<string, Measured>, say: Say): Figure[] {
  const cpu = (one: Measured | undefined) => Math.max(1, (one?.serverCpuMs ?? 0) + (one?.databaseCpuMs ?? 0));
  const bounded = [...last].filter(([name]) => !/^proof:|prove/.test(name));
  const growth = bounded.map(([name, measured]) => ({
    name,
    cpu: cpu(measured) / cpu(first.get(name)),
    rows: measured.rows / Math.max(1, first.get(name)?.rows ?? 1),
  }));
  const sorted = growth.sort((a, b) => b.cpu - a.cpu);
  say('  worst five by CPU:');
  for (const { name, cpu: grown, rows } of sorted.slice(0, 5))
    say(`  ${name.padEnd(50)} ${grown.toFixed(1)} × CPU, ${rows.toFixed(1)} × rows`);
  return sorted
    .slice(0, 5)
    .map(({ name, cpu: value }) => ({ part: 'l', what: `${name}: CPU of most to fewest people`, value, unit: '×' }));
}

import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { checkLedger, shareOut } from '../server/src/app/check-ledger.ts';
import { allSchedules } from '../server/src/app/work.ts';
import { listProvedMonths, type ProvedMonth } from '../server/src/modules/ledger/proofs.ts';
import { addSeconds } from '../server/src/platform/clock.ts';
import { startEmbeddedPostgres } from '../server/src/platform/embedded-postgres.ts';
import { type Belongings, requests, sendCall, type WireRequest } from '../server/test/flows/every-request.ts';
import type { TestWorld } from '../server/test/world.ts';
import { measureConsole } from './console.ts';
import { line, type Measured, measureInTurns, processorMs, type Work } from './cost.ts';
import { openPeople, type People } from './people-database.ts';
import type { Figure, Say } from './run.ts';
import { median, pairwiseRatio, percentile } from './statistics.ts';

const CALL_TURNS = 15;
const SCHEDULE_TURNS = 5;
/** What seems to grow is measured again, so often: the p99 of fewer than a hundred turns is the slowest of them. */
const AGAIN_TURNS = 300;
const MOST_CPU = 1.3;
const MOST_P99 = 2;
const NEW = 'what is new';
/** Its answer has no end. */
const STREAM = 'stream';
const SIGN_IN_EVERY_MS = 300_000;

/** Of one piece of work: how it grows from the fewest to the most people. */
interface Growth {
  readonly name: string;
  /** Of processor time, the median and the slowest of a hundred turns. */
  readonly cpu: number;
  readonly p99: number;
  /** The same on the clock, which also shows what else the machine does. */
  readonly clockP99: number;
  readonly rows: number;
}

/**
 * (l) Every call of the panel and of nodes, every schedule and every proof among more and more people. What counts is growth, so
 * the figures are the worst five. `keep`: a directory whose PostgreSQL keeps the written people for the next run.
 */
export async function measurePopulation(
  sizes: readonly number[],
  keep: string | undefined,
  say: Say,
): Promise<Figure[]> {
  const dataDir = keep ?? mkdtempSync(join(tmpdir(), 'raha-bench-people-'));
  mkdirSync(dataDir, { recursive: true });
  // PostgreSQL runs as a user of its own and must be able to traverse it.
  chmodSync(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  try {
    return await measureAll(postgres.url, sizes, keep !== undefined, say);
  } finally {
    await postgres.stop();
    if (keep === undefined) rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measureAll(url: string, sizes: readonly number[], keeps: boolean, say: Say): Promise<Figure[]> {
  const all: People[] = [];
  try {
    for (const size of sizes) all.push(await openPeople(url, size, keeps, say));
    const most = all.at(-1) as People;
    const proofs = await measureProofs(most, say);
    const schedules = await measureSchedules(all, say);
    sayWorst('schedules', schedules.growth, say);
    const growth = await measureCalls(all, say);
    await sayPlannedAnew(most, say);
    const looks = await measureConsole(most, say);
    return [...proofs, schedules.slowest, ...worst(growth, say), ...looks];
  } finally {
    for (const people of all) await people.close();
  }
}

/** Statements for which PostgreSQL thinks a plan of its own cheaper each time, and pays with the time to make it. */
async function sayPlannedAnew({ world }: People, say: Say): Promise<void> {
  const { rows } = await sql<{ statement: string; plans: bigint }>`
    SELECT regexp_replace(statement, '\\s+', ' ', 'g') AS statement, custom_plans AS plans FROM pg_prepared_statements
    WHERE custom_plans > 20 ORDER BY custom_plans DESC LIMIT 20
  `.execute(world.deps.db);
  for (const { statement, plans } of rows) say(`  planned ${plans} times: ${statement.slice(0, 120)}`);
}

async function measureProofs(people: People, say: Say): Promise<Figure[]> {
  const { world, size } = people;
  const seconds = new Map<string, number>();
  for (const [name, run] of await proofsOf(people)) {
    // What is new was written just before, so it is in memory when it is proved.
    const [measured] = await measureInTurns([{ world, run }], name === NEW ? SCHEDULE_TURNS : 1);
    say(`  ${String(size).padStart(8)}  ${line(`proof: ${name}`, measured as Measured)}`);
    seconds.set(name, median((measured as Measured).turns.map(({ ms }) => ms)) / 1_000);
  }
  const months = [...seconds].filter(([name]) => name.startsWith('month')).map(([, value]) => value);
  return [
    {
      part: 'l',
      what: "the minute's proof, most people",
      value: seconds.get(NEW) ?? Number.NaN,
      unit: 's',
      aim: { atMost: 1 },
    },
    { part: 'l', what: 'the slowest proof of a month', value: Math.max(...months), unit: 's', aim: { atMost: 60 } },
  ];
}

/** What was booked in the time of a minute's proof; the last three months, and that in which all signed up. */
async function proofsOf({ world, writtenAt }: People): Promise<[string, () => Promise<unknown>][]> {
  const { db, clock } = world.deps;
  const check = async (time?: Parameters<typeof checkLedger>[1]) => {
    const { violations } = await checkLedger(db, time);
    if (violations.length > 0)
      throw new Error(`The written ledger does not hold: ${JSON.stringify(violations[0], text)}`);
  };
  const months = await shareOut(db, await listProvedMonths(db, clock.now()));
  const { rows } = await sql<{ at: Date }>`
    SELECT uuid_extract_timestamp(id) AS at FROM users TABLESAMPLE SYSTEM (1) LIMIT 1
  `.execute(db);
  const first = months.find((month) => rows[0] && isIn(month, rows[0].at));
  const few = new Set([...(first ? [first] : []), ...months.slice(-3)]);
  return [
    [NEW, () => check({ since: addSeconds(writtenAt, -660) })],
    ...[...few].map((month): [string, () => Promise<unknown>] => [`month ${month.month}`, () => check(month)]),
  ];
}

function isIn({ since, until }: ProvedMonth, at: Date): boolean {
  return since <= at && (until === undefined || at < until);
}

const text = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

async function measureSchedules(all: readonly People[], say: Say): Promise<{ growth: Growth[]; slowest: Figure }> {
  const growth: Growth[] = [];
  let slowest = { name: '', ms: 0 };
  // Its work is the proofs of all months.
  for (const { name, run } of allSchedules.filter((schedule) => schedule.name !== 'prove the whole ledger')) {
    const works = all.map(({ world }) => ({ world, run: () => run(world.deps) }));
    const measured = await measureAndSay(`schedule: ${name}`, all, works, SCHEDULE_TURNS, say);
    // The proof of what is new grows with what is new.
    if (!/^prove/.test(name)) growth.push(grown(`schedule: ${name}`, measured));
    const ms = median((measured.at(-1) as Measured).turns.map((turn) => turn.ms));
    if (ms > slowest.ms) slowest = { name, ms };
  }
  const what = `slowest schedule, "${slowest.name}"`;
  return { growth, slowest: { part: 'l', what, value: slowest.ms / 1_000, unit: 's', aim: { atMost: 0.5 } } };
}

async function measureCalls(all: readonly People[], say: Say): Promise<Growth[]> {
  const growth: Growth[] = [];
  let signedInAt = Number.NEGATIVE_INFINITY;
  let owners: Belongings[] = [];
  const measureOne = async (name: string, worksOf: () => Work[]) => {
    // An access token lives for minutes.
    if (performance.now() - signedInAt > SIGN_IN_EVERY_MS) {
      owners = await Promise.all(all.map(({ has }) => has()));
      signedInAt = performance.now();
    }
    let found = grown(name, await measureAndSay(name, all, worksOf(), CALL_TURNS, say));
    if (found.cpu > MOST_CPU || found.p99 > MOST_P99)
      found = grown(name, await measureAndSay(name, all, worksOf(), AGAIN_TURNS, say));
    growth.push(found);
  };
  for (const name of Object.keys(publicEndpoints) as (keyof typeof publicEndpoints)[])
    if (name !== STREAM) await measureOne(name, () => owners.map((owner) => callOf(owner, name)));
  for (const [name, call] of Object.entries(nodeCalls))
    await measureOne(name, () =>
      all.map((people, at) => ({ world: people.world, run: () => call(people, owners[at]?.configId ?? '') })),
    );
  return growth;
}

let bytes = 0;
const nodeCalls: Record<string, (people: People, configId: string) => Promise<unknown>> = {
  'node: a usage report': async ({ node }, config) => {
    bytes += 1_000;
    return await node.report([{ config, down: bytes }]);
  },
  'node: the desired state, unchanged': ({ node }) => node.sync(),
  'node: the whole desired state': async ({ node }) => {
    node.applied = 0;
    return await node.sync();
  },
};

async function measureAndSay(
  name: string,
  all: readonly People[],
  works: readonly Work[],
  turns: number,
  say: Say,
): Promise<Measured[]> {
  const measured = await measureInTurns(works, turns);
  for (const [at, one] of measured.entries()) say(`  ${String(all[at]?.size).padStart(8)}  ${line(name, one)}`);
  return measured;
}

function callOf(has: Belongings, name: keyof typeof publicEndpoints): Work {
  const { method, path, caller } = publicEndpoints[name];
  let request: WireRequest = {};
  const token = caller === 'refresh' ? undefined : has.owner.token;
  return {
    world: has.world,
    prepare: async () => {
      await forgetAttempts(has.world);
      request = (await requests[name](has)) as WireRequest;
    },
    run: async () => {
      const response = await sendCall(has.world.origin, method, API_BASE + path, request, token);
      await response.arrayBuffer();
      // A refused call costs less than one that answers.
      if (token && response.status === 401) throw new Error(`${name} was not signed in.`);
    },
  };
}

/** So that no rate limit depends on how often this calls. */
async function forgetAttempts({ deps: { db } }: TestWorld): Promise<void> {
  await sql`UPDATE email_challenge SET created_at = created_at - interval '2 days'`.execute(db);
  for (const table of ['failed_login', 'failed_redemption', 'unknown_recipient', 'email_change_request'])
    await sql.raw(`DELETE FROM ${table}`).execute(db);
}

/** Below a millisecond of processor time, or five on the clock, a ratio says little. */
function grown(name: string, measured: readonly Measured[]): Growth {
  const [first, last] = [measured[0] as Measured, measured.at(-1) as Measured];
  const cpu = ({ turns }: Measured) => turns.map((turn) => Math.max(1, processorMs(turn)));
  const clock = ({ turns }: Measured) => turns.map(({ ms }) => Math.max(5, ms));
  return {
    name,
    cpu: pairwiseRatio(cpu(last), cpu(first)),
    p99: percentile(cpu(last), 99) / percentile(cpu(first), 99),
    clockP99: percentile(clock(last), 99) / percentile(clock(first), 99),
    rows: last.rows / Math.max(1, first.rows),
  };
}

/** The five whose processor time grew most, and the five whose slowest turns did. */
function worst(growth: readonly Growth[], say: Say): Figure[] {
  const { byCpu, byP99 } = sayWorst('calls', growth, say);
  const figure = (what: string, value: number, atMost: number): Figure => ({
    ...{ part: 'l', what, value, unit: '×', aim: { atMost } },
  });
  const clock = median(growth.map(({ clockP99 }) => clockP99));
  return [
    ...byCpu.map(({ name, cpu }) => figure(`${name}: CPU of most to fewest people`, cpu, MOST_CPU)),
    ...byP99.map(({ name, p99 }) => figure(`${name}: p99 of CPU of most to fewest people`, p99, MOST_P99)),
    figure('p99 on the clock of most to fewest people, median of all', clock, MOST_P99),
  ];
}

/** Some schedules look at more where there are more people, up to what they do in one turn: their aim is the slowest one's time. */
function sayWorst(what: string, growth: readonly Growth[], say: Say) {
  const byCpu = [...growth].sort((a, b) => b.cpu - a.cpu).slice(0, 5);
  const byP99 = [...growth].sort((a, b) => b.p99 - a.p99).slice(0, 5);
  say(`  of ${growth.length} ${what}, the worst by processor time and by its p99, most to fewest people:`);
  for (const { name, cpu, p99, clockP99, rows } of [...byCpu, ...byP99])
    say(
      `  ${name.padEnd(50)} ${cpu.toFixed(2)} × CPU, p99 ${p99.toFixed(2)} × (${clockP99.toFixed(2)} × on the clock), ${rows.toFixed(1)} × rows`,
    );
  return { byCpu, byP99 };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepProof, readProofState } from '../../src/modules/ledger/proofs.ts';
import { openLeader } from '../../src/platform/leader.ts';
import { createLog } from '../../src/platform/log.ts';
import { freePort } from '../free-port.ts';
import { inherited } from '../inherited.ts';
import { eventually, openTestWorld, TEST_MASTER_KEY, type TestWorld } from '../world.ts';

/** Of several workers one runs schedules and proofs, and every process shows their results (audit P1). */
const root = join(import.meta.dirname, '../../..');
const dataDir = mkdtempSync(join(tmpdir(), 'raha-leader-'));
const log = createLog('silent');
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(async () => {
  await world.close();
  rmSync(dataDir, { recursive: true, force: true });
});

interface OwnWorker {
  readonly process: ChildProcess;
  readonly origin: string;
}

async function startWorker(): Promise<OwnWorker> {
  const port = await freePort();
  const started = spawn(join(root, 'node_modules/.bin/node'), ['server/src/main.ts', 'worker'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...inherited,
      NODE_ENV: 'test',
      WORKER_PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: world.deps.databaseUrl,
      MASTER_KEY: TEST_MASTER_KEY,
      LOG_LEVEL: 'silent',
    },
  });
  await new Promise<void>((resolve, reject) => {
    started.once('exit', () => reject(new Error('the worker ended before it worked')));
    started.stdout?.on('data', (data: Buffer) => String(data).includes('works on jobs') && resolve());
  });
  return { process: started, origin: `http://127.0.0.1:${port}` };
}

async function metric(origin: string, name: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
}

const leads = async ({ origin }: OwnWorker) => (await metric(origin, 'worker_is_leader')) === 1;

test('a leader that hangs loses its session, and another one leads', async () => {
  const times = { beatMs: 50, silentMs: 500 };
  const hangs = await openLeader(world.deps.databaseUrl, log, { ...times, beatMs: 3_600_000 });
  const other = await openLeader(world.deps.databaseUrl, log, times);
  try {
    expect([hangs.isLeading(), other.isLeading()]).toEqual([true, false]);
    await eventually(() => other.isLeading() && !hangs.isLeading());
  } finally {
    await hangs.close();
    await other.close();
  }
});

test('a leader whose session was ended from outside leads again, or another one does', async () => {
  const both = [
    await openLeader(world.deps.databaseUrl, log, { beatMs: 50, silentMs: 5_000 }),
    await openLeader(world.deps.databaseUrl, log, { beatMs: 50, silentMs: 5_000 }),
  ];
  try {
    await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'raha leader' AND datname = current_database()`.execute(world.deps.db);
    await eventually(() => both.filter((one) => one.isLeading()).length === 1);
  } finally {
    for (const one of both) await one.close();
  }
});

test('a server shows what a worker found, and since when nothing was proved', async () => {
  const [started, proved] = [new Date('2026-11-20T10:00:00Z'), new Date('2026-11-19T10:00:00Z')];
  const result = { started_at: started, ended_at: started, proved_at: proved };
  await keepProof(world.deps.db, { part: 'new', ...result, violated: ['L3', 'L4'] });
  await keepProof(world.deps.db, { part: 'whole', ...result, violated: ['L3'] });
  expect(await metric(world.origin, 'ledger_invariant_violations')).toBe(2);
  expect(await metric(world.origin, 'ledger_last_proof_timestamp_seconds')).toBe(started.getTime() / 1_000);
  expect(await metric(world.origin, 'ledger_last_whole_proof_timestamp_seconds')).toBe(proved.getTime() / 1_000);
});

test('of two workers one leads; when it is killed the other takes over within a minute', async () => {
  const workers = [await startWorker(), await startWorker()] as const;
  try {
    for (const { origin } of workers) expect((await fetch(`${origin}/livez`)).status).toBe(200);
    const one = async () => ((await leads(workers[0])) !== (await leads(workers[1])) ? 'one leads' : undefined);
    await eventually(one, 60_000);
    const [leader, other] = (await leads(workers[0])) ? workers : [workers[1], workers[0]];
    leader.process.kill('SIGKILL');
    expect(await eventually(() => leads(other), 60_000)).toBe(true);
  } finally {
    for (const worker of workers) worker.process.kill('SIGKILL');
  }
}, 120_000);

test('a worker answers on its port what it answers: nothing of the product, nothing to a proxy', async () => {
  const worker = await startWorker();
  try {
    // What another one found, long before this one proves anything.
    const { violations } = await readProofState(world.deps.db);
    expect(await metric(worker.origin, 'ledger_invariant_violations')).toBe(violations);
    expect(await metric(worker.origin, 'database_up')).toBe(1);
    expect((await fetch(`${worker.origin}/api/v1/site`)).status).toBe(404);
    expect((await fetch(`${worker.origin}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.9' } })).status).toBe(
      404,
    );
  } finally {
    worker.process.kill('SIGKILL');
  }
}, 60_000);

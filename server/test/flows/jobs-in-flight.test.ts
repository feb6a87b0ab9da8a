import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openVault } from '../../src/app/master-key.ts';
import { allJobs } from '../../src/app/work.ts';
import { type Database, inTransaction, openDatabase } from '../../src/platform/database.ts';
import { sendEmail } from '../../src/platform/email.ts';
import { openJobs } from '../../src/platform/jobs.ts';
import { createLog } from '../../src/platform/log.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { inherited } from '../inherited.ts';
import { eventually, TEST_MASTER_KEY } from '../world.ts';

/** A worker that dies in the middle of a job leaves it to another one, soon (production P7). */
const root = join(import.meta.dirname, '../../..');
const dataDir = mkdtempSync(join(tmpdir(), 'raha-jobs-'));
/** A mail server that takes connections and says nothing: a worker that sends stays in the middle of its job. */
const silent: Server = createServer((socket: Socket) => {
  connections += 1;
  socket.on('error', () => undefined);
});
let connections = 0;
let database: TestDatabase;
let db: Database;
const workers: ChildProcess[] = [];

beforeAll(async () => {
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  database = await createTestDatabase();
  db = openDatabase(database.url, { max: 2, onError: () => undefined });
});
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await db.destroy();
  await database.drop();
  silent.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function startWorker(): Promise<ChildProcess> {
  const worker = spawn(join(root, 'node_modules/.bin/node'), ['server/src/main.ts', 'worker'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...inherited,
      NODE_ENV: 'test',
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      MASTER_KEY: TEST_MASTER_KEY,
      SMTP_URL: `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      LOG_LEVEL: 'silent',
    },
  });
  workers.push(worker);
  await new Promise<void>((resolve, reject) => {
    worker.once('exit', () => reject(new Error('the worker ended before it worked')));
    worker.stdout?.on('data', (data: Buffer) => String(data).includes('works on jobs') && resolve());
  });
  return worker;
}

async function sendMail(): Promise<void> {
  const vault = await openVault(db, TEST_MASTER_KEY);
  const jobs = await openJobs(database.url, { log: createLog('silent'), vault }, { supervise: false });
  await inTransaction(db, (tx) =>
    jobs.send(tx, sendEmail, { to: 'a@mail.example', subject: 's', text: 't', html: 'h', about: { kind: 'other' } }),
  );
  await jobs.stop();
}

test('every queue expects a sign of life from the worker of a job', async () => {
  const { rows } = await sql<{ name: string; heartbeat_seconds: number | null }>`
    SELECT name, heartbeat_seconds FROM pgboss.queue
  `.execute(db);
  const silentOnes = rows.filter(({ heartbeat_seconds }) => heartbeat_seconds !== 30);
  expect(rows.length).toBeGreaterThanOrEqual(allJobs.length);
  expect(silentOnes).toEqual([]);
});

test('a job of a worker that was killed is run by another one, long before it would expire', {
  timeout: 120_000,
}, async () => {
  const first = await startWorker();
  await sendMail();
  await eventually(() => connections >= 1 || undefined, 60_000);
  first.kill('SIGKILL');
  await startWorker();
  // As if the half minute had passed in which a worker may be silent.
  await sql`UPDATE pgboss.job SET heartbeat_on = heartbeat_on - interval '30 seconds' WHERE state = 'active'`.execute(
    db,
  );
  await eventually(() => connections >= 2 || undefined, 60_000);
});

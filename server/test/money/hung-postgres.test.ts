import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { proveNew } from '../../src/app/prove-ledger.ts';
import { writeStatus } from '../../src/app/status/publish.ts';
import { eventually, openTestWorld, type TestUser, type TestWorld } from '../world.ts';
import { type OwnPostgres, openOwnPostgres } from './own-postgres.ts';

/**
 * T-C8: PostgreSQL hangs (SIGSTOP), is in recovery, or takes no writes. Calls answer 503 and say when to come back, never 404 or
 * 500; public pages stand; when it goes on, so does everything, without a restart and with nothing done by half.
 */
const LONG = 120_000;
/** Deadlines, not measures of speed: without limits nothing would ever answer. */
const PATIENCE_MS = 30_000;

let postgres: OwnPostgres;
let world: TestWorld;
let user: TestUser;

beforeAll(async () => {
  postgres = await openOwnPostgres();
  world = await openTestWorld({ database: postgres.database });
  user = await world.user();
  await look('/');
}, 180_000);
afterAll(async () => {
  try {
    await world?.close();
  } finally {
    await postgres?.remove();
  }
});

const look = (path: string) => fetch(`${world.origin}${path}`, { signal: AbortSignal.timeout(PATIENCE_MS) });

const transfer = (key?: string) =>
  fetch(`${world.origin}${API_BASE}/wallet/transfer`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user.token}`,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify({ to: 'nobody@mail.example', amount: 1_000 }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });

/** Writes, whatever comes of it. */
const requestCode = () =>
  fetch(`${world.origin}${API_BASE}/auth/send-verification-code`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'somebody@mail.example' }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });

const me = () =>
  fetch(`${world.origin}${API_BASE}/auth/me`, {
    headers: { authorization: `Bearer ${user.token}` },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });

/** A refusal that names the request and a time, and no detail. */
async function expectRefused(answer: Response): Promise<void> {
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('5');
  expect(await answer.json()).toEqual({
    success: false,
    code: 'unavailable',
    message: expect.stringMatching(/\S/),
    retry_after: 5,
    request_id: answer.headers.get('x-request-id'),
  });
}

async function expectBack(): Promise<void> {
  await eventually(async () => (await look('/readyz/database')).ok, PATIENCE_MS);
  expect((await me()).status).toBe(200);
}

/** The first process and all that it started. */
function allProcesses(): number[] {
  const first = postgres.postmaster;
  const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').trim().split(' ').map(Number);
  return [first, ...children];
}

const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
  for (const pid of allProcesses()) process.kill(pid, name);
};

test('T-C8 hung: pages stand, calls are refused, and nothing is left over afterwards', { timeout: LONG }, async () => {
  signal('SIGSTOP');
  try {
    const from = performance.now();
    const begun = [me(), transfer('hung'), look('/')] as const;
    expect((await begun[2]).status).toBe(200);
    const pageMs = performance.now() - from;
    await expectRefused(await begun[0]);
    console.log(
      `T-C8: hung; a page after ${Math.round(pageMs)} ms, 503 after ${Math.round(performance.now() - from)} ms`,
    );
    await expectRefused(await begun[1]);
    // From now on no call waits.
    await expectRefused(await transfer());
    expect((await look('/livez')).status).toBe(200);
    const ready = await look('/readyz');
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', database: 'away' }]);
    expect((await look('/readyz/database')).status).toBe(503);
    const page = await look('/');
    expect([page.status, (await page.text()).length > 1_000]).toEqual([200, true]);
    expect(await (await look('/metrics')).text()).toMatch(/^database_up 0$/m);
    // The status page is measured and written without the database, and says so.
    expect((await writeStatus(world.deps, undefined)).database).toBe('away');
    const shown = await look('/status/en.html');
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Our database is not available')]);
  } finally {
    signal('SIGCONT');
  }
  await expectBack();
  expect(await (await look('/metrics')).text()).toMatch(/^database_up 1$/m);
  // The same key: whether the first attempt arrived or not, it happens once.
  expect((await transfer('hung')).status).toBeLessThan(500);
  await world.proveLedger();
  const { rows } = await sql<{ count: bigint }>`
    SELECT count(*) FROM pg_stat_activity WHERE application_name = 'raha' AND state LIKE 'idle in transaction%'
  `.execute(world.deps.db);
  expect(rows[0]?.count).toBe(0n);
});

test('T-C8 in recovery: refused as a whole, and not one session that listens is left', { timeout: LONG }, async () => {
  await expectBack();
  await restart(() => writeFileSync(standbySignal(), ''));
  await eventually(async () => (await readiness()) === 'recovering' || undefined, PATIENCE_MS);
  await expectRefused(await me());
  await expectRefused(await transfer());
  // Time for several attempts to listen, each of which fails.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(await countSessions('raha bus')).toBeLessThanOrEqual(1);
  await restart(() => rmSync(standbySignal()));
  await expectBack();
  await eventually(async () => (await countSessions('raha bus')) === 1 || undefined, PATIENCE_MS);
  expect(await proveNew(world.deps)).toEqual([]);
});

test('T-C8 read-only: what reads is answered, what writes is refused', { timeout: LONG }, async () => {
  await expectBack();
  await query('ALTER ROLE raha SET default_transaction_read_only = on');
  await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE usename = current_user AND pid <> pg_backend_pid()`);
  await eventually(async () => (await readiness()) === 'read-only' || undefined, PATIENCE_MS);
  expect((await me()).status).toBe(200);
  await expectRefused(await requestCode());
  await query('BEGIN READ WRITE; ALTER ROLE raha RESET default_transaction_read_only; COMMIT');
  await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE usename = current_user AND pid <> pg_backend_pid()`);
  await expectBack();
});

const standbySignal = () => join(postgres.logFile, '../cluster/standby.signal');

async function restart(change: () => void): Promise<void> {
  change();
  process.kill(postgres.postmaster, 'SIGINT');
  await postgres.startAgain();
}

async function readiness(): Promise<string> {
  return ((await (await look('/readyz')).json()) as { database: string }).database;
}

async function countSessions(name: string): Promise<number> {
  return (await query(`SELECT 1 FROM pg_stat_activity WHERE application_name = '${name}'`)).length;
}

async function query(text: string): Promise<unknown[]> {
  const client = new pg.Client(postgres.database.url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows ?? [];
  } finally {
    await client.end();
  }
}

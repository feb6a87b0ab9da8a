import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { API_BASE } from '@raha/contract/public/table.ts';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually, openTestWorld, type TestPerson, type TestWorld } from '../world.ts';
import { type Moves, openMoves } from './moves.ts';
import { type OwnPostgres, openOwnPostgres } from './own-postgres.ts';
import { endProcess, inject, isTraced, warnOfSkipped, whyNoTracing } from './tracing.ts';

/** Disks that fail under PostgreSQL while money moves. The server is never started again. */
const LANES = 8;
const LONG = { timeout: 600_000 };

let postgres: OwnPostgres;
let world: TestWorld | undefined;
let person: TestPerson;
let moves: Moves;
/** What a test leaves behind, the latest first. */
const ends: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
}, 120_000);

async function open(dataDir?: string): Promise<void> {
  postgres = await openOwnPostgres(dataDir);
  ends.push(() => postgres.remove());
  const opened = await openTestWorld({ database: postgres.database });
  world = opened;
  ends.push(async () => {
    if (!postgres.isUp) await postgres.startAgain();
    await opened.close();
  });
  person = await opened.person();
  // A disk without room is trouble that the server did not expect; a call says so, with the number of its request.
  moves = await openMoves(opened, 16, ({ code, status, requestId }) => {
    return code === 'internal' && status === 500 && requestId !== undefined;
  });
}

async function say(path: string): Promise<number> {
  return (await fetch(`${world?.origin}${path}`)).status;
}

async function transferNow(): Promise<Response> {
  return await fetch(`${world?.origin}${API_BASE}/wallet/transfer`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: 'nobody@mail.example', amount: 1_000 }),
  });
}

/** What anybody hears while there is no database: nothing of it, and when to come back. */
async function expectAway(): Promise<void> {
  expect(await say('/livez')).toBe(200);
  expect(await say('/readyz')).toBe(503);
  const answer = await transferNow();
  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({
    success: false,
    code: 'unavailable',
    message: expect.stringMatching(/\S/),
    request_id: answer.headers.get('x-request-id'),
  });
}

async function expectBack(): Promise<void> {
  await eventually(async () => (await say('/readyz')) === 200, 60_000);
  await moves.prove();
  await moves.finish();
  await moves.prove();
}

async function query(text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(postgres.database.url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/**
 * T-C3: from some moment on the disk answers EIO to every fsync of PostgreSQL. What is not on the disk must not be called
 * done: PostgreSQL stops, calls hear "unavailable", and after its start all that was acknowledged is there.
 */
describe.skipIf(warnOfSkipped('T-C3', whyNoTracing))('T-C3 fsync fails', () => {
  const tracers: ChildProcess[] = [];
  const endTracers = () => Promise.all(tracers.splice(0).map(endProcess));
  const panicked = () => /PANIC: {2}could not (fsync|fdatasync) file/.test(readFileSync(postgres.logFile, 'utf8'));

  /** The first process, so that all later ones are followed, then those that were there before. */
  async function failSyncs(): Promise<void> {
    const attach = async (pids: number[]) => {
      if (pids.length > 0) tracers.push(await inject(pids, 'fsync,fdatasync', 'error=EIO'));
    };
    await attach([postgres.postmaster]);
    // Once syncing fails it may have stopped before it is asked.
    const rows = await query('SELECT pid FROM pg_stat_activity').catch(() => []);
    await attach(rows.map(({ pid }) => pid as number).filter((pid) => isTraced(pid) === false));
  }

  test('T-C3 PostgreSQL stops, calls are refused, nothing acknowledged is lost', LONG, async () => {
    await open();
    ends.push(endTracers);
    let failing: Promise<void> | undefined;
    let isFailing = false;
    await moves.storm({
      lanes: LANES,
      seed: 3,
      isOver: () => isFailing && moves.lost > 0,
      onAcknowledged: () => {
        if (moves.acknowledged >= 20) failing ??= failSyncs().finally(() => (isFailing = true));
      },
    });
    await failing;
    await eventually(() => panicked(), 60_000);
    await eventually(async () => (await say('/readyz')) === 503, 60_000);
    await expectAway();
    await endTracers();
    // Its first process may be waiting for a recovery that could not be written down either.
    if (postgres.isUp) process.kill(postgres.postmaster, 'SIGKILL');
    await postgres.startAgain();
    await expectBack();
    console.log(`T-C3: ${moves.acknowledged} moves acknowledged, all there`);
  });
});

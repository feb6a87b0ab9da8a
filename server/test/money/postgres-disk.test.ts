import { type ChildProcess, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_BASE } from '@raha/contract/public/table.ts';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually, openTestWorld, type TestUser, type TestWorld } from '../world.ts';
import { type Moves, openMoves } from './moves.ts';
import { type OwnPostgres, openOwnPostgres } from './own-postgres.ts';
import { endProcess, inject, isTraced, warnOfSkipped, whyNoTracing } from './tracing.ts';

/** Disks that fail under PostgreSQL while money moves (T-C3, T-C4). The server is never restarted. */
const LANES = 8;
const LONG = { timeout: 600_000 };

let postgres: OwnPostgres;
let world: TestWorld | undefined;
let user: TestUser;
let moves: Moves;
/** Clean-up steps of a test, the latest first. */
const ends: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  const failures: unknown[] = [];
  for (const end of ends.splice(0).reverse()) {
    try {
      await end();
    } catch (error) {
      failures.push(error);
    }
  }
  expect(failures).toEqual([]);
}, 120_000);

async function open(dataDir?: string, isExpected?: Parameters<typeof openMoves>[2]): Promise<void> {
  postgres = await openOwnPostgres(dataDir);
  ends.push(() => postgres.remove());
  const opened = await openTestWorld({ database: postgres.database });
  world = opened;
  ends.push(async () => {
    if (!postgres.isUp) await postgres.startAgain();
    await opened.close();
  });
  user = await opened.user();
  moves = await openMoves(opened, 16, isExpected);
}

async function say(path: string): Promise<number> {
  return (await fetch(`${world?.origin}${path}`)).status;
}

async function transferNow(): Promise<Response> {
  return await fetch(`${world?.origin}${API_BASE}/wallet/transfer`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ to: 'nobody@mail.example', amount: 1_000 }),
  });
}

/** The answer to every call while there is no database: no details, and when to come back. */
async function expectAway(): Promise<void> {
  expect(await say('/livez')).toBe(200);
  expect(await say('/readyz/database')).toBe(503);
  const answer = await transferNow();
  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({
    success: false,
    code: 'unavailable',
    message: expect.stringMatching(/\S/),
    retry_after: 5,
    request_id: answer.headers.get('x-request-id'),
  });
}

async function expectBack(): Promise<void> {
  await eventually(async () => (await say('/readyz/database')) === 200, 60_000);
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
 * T-C3: from some moment on, the disk answers EIO to every fsync of PostgreSQL. What is not on the disk must not be
 * acknowledged: PostgreSQL stops, calls answer "unavailable", and after its start everything acknowledged is there.
 */
describe.skipIf(warnOfSkipped('T-C3', whyNoTracing))('T-C3 fsync fails', () => {
  const tracers: ChildProcess[] = [];
  const endTracers = () => Promise.all(tracers.splice(0).map(endProcess));
  const panicked = () => /PANIC: {2}could not (fsync|fdatasync) file/.test(readFileSync(postgres.logFile, 'utf8'));

  /** Attaches to the first process, so that all later ones are followed, then to those that already run. */
  async function failSyncs(): Promise<void> {
    const attach = async (pids: number[]) => {
      if (pids.length > 0) tracers.push(await inject(pids, 'fsync,fdatasync', 'error=EIO'));
    };
    await attach([postgres.postmaster]);
    // Once syncing fails it may have stopped by itself.
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
    await eventually(async () => (await say('/readyz/database')) === 503, 60_000);
    await expectAway();
    await endTracers();
    // Its first process may be waiting for a recovery that could not be written either.
    await endPostgres();
    await postgres.startAgain();
    await expectBack();
    console.log(`T-C3: ${moves.acknowledged} moves acknowledged, all there`);
  });
});

/**
 * T-C4: a disk without space, first for rows only, then for the write-ahead log as well. Calls fail with an unexpected error
 * while PostgreSQL runs and with "unavailable" once it has stopped; with space again everything continues.
 */
describe.skipIf(warnOfSkipped('T-C4', whyNoMounts()))('T-C4 the disk is full', () => {
  const SEGMENT = 16 * 1024 * 1024;
  let disk: string;

  /** Limits the disk to exactly what is used, or gives it plenty. */
  async function resize(to: 'full' | 'roomy'): Promise<void> {
    await eventually(() => {
      const { blocks, bfree, bsize } = statfsSync(disk);
      return mount('-o', `remount,size=${to === 'full' ? (blocks - bfree) * bsize : 1024 * 1024 * 1024}`, disk);
    });
  }

  /** Fills the log to the beginning of its next file, so that space for rows runs out first. */
  async function beginSegment(): Promise<void> {
    const [row] = await query(`SELECT ((pg_current_wal_lsn() - '0/0') % ${SEGMENT})::int AS used`);
    await fillLog(SEGMENT - Number(row?.used) + 8192);
  }

  async function fillLog(bytes: number): Promise<void> {
    await query(`SELECT pg_logical_emit_message(false, 'test', repeat('x', ${bytes}), true)`);
  }

  const says = (word: RegExp) => word.test(readFileSync(postgres.logFile, 'utf8'));

  test('T-C4 each call fails as a whole, and service continues once there is space', LONG, async () => {
    disk = mkdtempSync(join(tmpdir(), 'raha-full-disk-'));
    ends.push(() => rmSync(disk, { recursive: true, force: true }));
    expect(mount('-t', 'tmpfs', '-o', 'size=1g,mode=0711', 'tmpfs', disk)).toBe(true);
    ends.push(() => spawnSync('umount', [disk]));
    // What PostgreSQL says is written elsewhere: the last line of a full disk's log may not fit on it.
    const elsewhere = mkdtempSync(join(tmpdir(), 'raha-full-disk-log-'));
    ends.push(() => rmSync(elsewhere, { recursive: true, force: true }));
    mkdirSync(join(disk, 'data'));
    symlinkSync(join(elsewhere, 'postgres.log'), join(disk, 'data/postgres.log'));
    let unexpected = 0;
    // An error that the server did not expect; the call answers with the number of its request.
    await open(join(disk, 'data'), ({ code, status, requestId }) => {
      const isTrouble = code === 'internal' && status === 500 && requestId !== undefined;
      if (isTrouble) unexpected += 1;
      return isTrouble;
    });

    ends.push(() => resize('roomy'));
    await moves.storm({ lanes: LANES, seed: 40, isOver: () => moves.acknowledged >= 20 });
    await beginSegment();
    await resize('full');
    await moves.storm({ lanes: LANES, seed: 41, isOver: () => unexpected > 0 || !postgres.isUp });
    expect(says(/ERROR: {2}could not extend file .*No space left on device/)).toBe(true);
    expect(postgres.isUp).toBe(true);
    await resize('roomy');
    await expectBack();

    await resize('full');
    const isBroken = () => says(/could not write to file "pg_wal.*No space left on device/);
    const fill = async () => {
      await fillLog(8_000_000).catch(() => undefined);
      return isBroken();
    };
    let isFilled = false;
    // Files of the log that were made in advance are filled first, which a busy machine takes its time for.
    const filling = eventually(fill, 300_000).finally(() => (isFilled = true));
    await moves.storm({ lanes: LANES, seed: 42, isOver: () => isFilled });
    await filling;
    await resize('roomy');
    // Whether or not it found space to recover by itself, it is started again.
    await endPostgres();
    await postgres.startAgain();
    await expectBack();
    console.log(`T-C4: ${moves.acknowledged} moves acknowledged, all there; ${unexpected} answered as trouble`);
  });
});

async function endPostgres(): Promise<void> {
  if (postgres.isUp) process.kill(postgres.postmaster, 'SIGKILL');
}

function mount(...args: string[]): boolean {
  return spawnSync('mount', args).status === 0;
}

function whyNoMounts(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root may mount a small disk';
  const directory = mkdtempSync(join(tmpdir(), 'raha-mount-'));
  try {
    if (!mount('-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory)) return 'this machine forbids mounting';
    spawnSync('umount', [directory]);
    return undefined;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

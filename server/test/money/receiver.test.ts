import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '../../src/app/check-ledger.ts';
import { migrate } from '../../src/app/migrate.ts';
import { openDatabase } from '../../src/platform/database.ts';
import { postgresUser } from '../../src/platform/postgres-binaries.ts';
import { inherited } from '../inherited.ts';
import { eventually, openTestWorld, type TestWorld } from '../world.ts';
import { adjust, balancesOf, makeUser } from './bench.ts';
import { type DebianPostgres, startDebianPostgres } from './debian-postgres.ts';

/**
 * T-B4: Debian's PostgreSQL with a receiver of its log, by the scripts of deploy/receiver. Its machine is lost with the disk while money
 * moves. Up to the last transaction everything acknowledged is there; brought to a time, exactly what was there then. `npm run
 * test:long` does it twenty times.
 */
const ROUNDS = Number(process.env.MONEY_SEEDS ?? 300) > 300 ? 20 : 1;
const LANES = 8;
const STEP = 1_000;
const scripts = join(import.meta.dirname, '../../../deploy/receiver');
const kept = mkdtempSync(join(tmpdir(), 'raha-receiver-'));
let server: DebianPostgres;
let receiver: ChildProcess;
let world: TestWorld;
let acknowledged = 0;
let begun = 0;

const user = { ...postgresUser(), cwd: '/' };
const reach = () => ({
  ...inherited,
  LC_ALL: 'C',
  PGHOST: server.directory,
  PGUSER: 'raha_receiver',
  PGDATABASE: 'postgres',
});
const script = (name: string, ...args: string[]) =>
  execFileSync('sh', [join(scripts, name), ...args], { ...user, encoding: 'utf8', env: reach() });

async function open(): Promise<void> {
  server = await startDebianPostgres();
  const url = await server.makeDatabase('raha');
  await migrate(url);
  world = await openTestWorld({ database: { url, drop: async () => {} } });
  await server.execute('CREATE ROLE raha_receiver LOGIN REPLICATION');
  const directory = join(kept, 'receiver');
  execFileSync('mkdir', ['-p', '-m', '700', join(directory, 'wal')], user);
  const [major] = readdirSync('/usr/lib/postgresql').sort().reverse();
  const program = `/usr/lib/postgresql/${major}/bin/pg_receivewal`;
  const slot = ['--slot', 'raha_receiver', '--no-password'];
  execFileSync(program, [...slot, '--create-slot', '--if-not-exists'], { ...user, env: reach() });
  const args = ['--directory', join(directory, 'wal'), '--synchronous', ...slot];
  receiver = spawn(program, args, { ...user, stdio: 'ignore', env: { ...reach(), PGAPPNAME: 'raha_receiver' } });
  await server.execute("ALTER SYSTEM SET synchronous_standby_names = 'raha_receiver'");
  await server.execute('SELECT pg_reload_conf()');
  const isSynchronous = async () =>
    (await server.execute("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length > 0 || undefined;
  await eventually(isSynchronous, 60_000);
}

async function close(): Promise<void> {
  receiver?.kill('SIGKILL');
  await world?.close().catch(() => undefined);
  await server?.stop();
  rmSync(join(kept, 'receiver'), { recursive: true, force: true });
}

beforeAll(() => {
  const { uid, gid } = postgresUser();
  if (uid !== undefined && gid !== undefined) chownSync(kept, uid, gid);
});
afterAll(async () => {
  await close();
  rmSync(kept, { recursive: true, force: true });
});

test(`T-B4 a lost machine, ${ROUNDS} times`, { timeout: 300_000 * ROUNDS }, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    [acknowledged, begun] = [0, 0];
    await open();
    const payer = await makeUser(world);
    await usable(script('base.sh', join(kept, 'receiver')));
    await pay(payer.id, 100);
    const [{ at } = { at: '' }] = await server.execute('SELECT clock_timestamp()::text AS at');
    const then = acknowledged;
    // A second copy, which is too young for that time.
    script('base.sh', join(kept, 'receiver'));
    const paying = pay(payer.id, 1_000_000);
    await eventually(() => acknowledged >= then + 200 || undefined, 120_000);
    await server.lose();
    await paying;
    receiver.kill('SIGKILL');

    expect(await restored(payer, [])).toSatisfy((balance) => balance >= acknowledged && balance <= begun);
    expect(await restored(payer, ['--time', String(at)])).toBe(then);
    console.log(`lost with ${acknowledged} acknowledged payments, ${begun - acknowledged} of unknown outcome`);
    await close();
  }
});

test('what cannot be restored is refused with a sentence', () => {
  const attempt =
    (...args: string[]) =>
    () =>
      script('restore.sh', '--to', join(kept, 'nowhere'), ...args);
  const directory = join(kept, 'empty');
  execFileSync('mkdir', ['-p', join(directory, 'base/20260102T000000Z')], user);
  expect(attempt('--from', directory, '--time', '2026-01-01 00:00:00+00')).toThrow(/no copy .* before that time/);
  expect(attempt('--from', directory, '--time', '2026-01-03 00:00:00')).toThrow(/Say the offset/);
  expect(() => script('restore.sh', '--from', directory, '--to', directory)).toThrow(/is not empty/);
});

/** Waits until the time in the name of a copy: a copy can be brought to any time from then on, and to none before. */
async function usable(copy: string): Promise<void> {
  const [, date, hours, minutes, seconds] = /(\d{8})T(\d\d)(\d\d)(\d\d)Z\s*$/.exec(copy) ?? [];
  const day = date?.replace(/^(....)(..)(..)$/, '$1-$2-$3');
  const from = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
  expect(from).not.toBeNaN();
  await eventually(() => Date.now() >= from || undefined, 60_000);
}

/** Eight at once, each as soon as the one before was acknowledged, until there are so many or the database is gone. */
async function pay(userId: string, count: number): Promise<void> {
  const end = acknowledged + count;
  const lane = async () => {
    while (acknowledged < end) {
      begun += 1;
      try {
        await adjust(world, userId, STEP);
      } catch {
        return;
      }
      acknowledged += 1;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** How many payments are in what the scripts make of the receiver's files; its ledger holds. */
async function restored(payer: { id: string }, options: readonly string[]): Promise<number> {
  const data = join(kept, 'restored');
  script('restore.sh', '--from', join(kept, 'receiver'), '--to', data, ...options);
  const copy = await startDebianPostgres({ data });
  const db = openDatabase(`postgres:///raha?host=${copy.directory}&user=raha`, { max: 1 });
  try {
    expect((await checkLedger(db)).violations).toEqual([]);
    const [{ balance } = { balance: 0 }] = await balancesOf({ ...world, deps: { ...world.deps, db } }, [payer]);
    return balance / STEP;
  } finally {
    await db.destroy();
    await copy.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBackup, restoreBackup, restoreIntoDatabase, verifyBackup } from '../../src/app/backup.ts';
import { readBackupVerified } from '../../src/app/backup-verified.ts';
import { checkLedger } from '../../src/app/check-ledger.ts';
import { migrate } from '../../src/app/migrate.ts';
import { backUpNightly } from '../../src/app/nightly-backup.ts';
import { findHold } from '../../src/modules/payments/hold.ts';
import { openDatabase } from '../../src/platform/database.ts';
import { restoreDump } from '../../src/platform/dump-backup.ts';
import { createLog } from '../../src/platform/log.ts';
import { WrongPassphrase } from '../../src/platform/passphrase.ts';
import { findTool } from '../../src/platform/postgres-tools.ts';
import { actor, eventually, openTestWorld, TEST_MASTER_KEY, type TestWorld } from '../world.ts';
import { adjust, balancesOf, makeUser } from './bench.ts';
import { type DebianPostgres, startDebianPostgres } from './debian-postgres.ts';

/**
 * T-B2: the database of an operator's own PostgreSQL, in which Raha is no superuser, is backed up while money moves, and restored into
 * an empty one. What was acknowledged before the backup is there, payments are held, and nothing runs on it half restored.
 */
const directory = mkdtempSync(join(tmpdir(), 'raha-dump-test-'));
const passphrase = 'a passphrase of this test';
const out = join(directory, 'backups');
let server: DebianPostgres;
let world: TestWorld;

beforeAll(async () => {
  server = await startDebianPostgres();
  const url = await server.makeDatabase('raha');
  await migrate(url);
  world = await openTestWorld({ database: { url, drop: async () => {} } });
}, 180_000);
afterAll(async () => {
  await world?.close();
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
});

test('T-B2 backup, verification and restore of an external database', { timeout: 180_000 }, async () => {
  const { databaseUrl, clock } = world.deps;
  const user = await makeUser(world);
  await adjust(world, user.id, 1_000_000);
  const config = { ...world.deps.config, databaseUrl, masterKey: TEST_MASTER_KEY };
  let isMade = false;
  let after = 1_000_000;
  const payer = (async () => {
    while (!isMade) {
      await adjust(world, user.id, 1_000);
      after += 1_000;
    }
  })();
  const made = await createBackup({ databaseUrl, clock, config }, { out, passphrase });
  isMade = true;
  await payer;
  expect(Object.keys(made.manifest.files).sort()).toEqual(['database.dump', 'master.key.sealed']);

  expect(await verifyBackup(made.directory, passphrase, '')).toEqual(new Date(made.manifest.madeAt));
  await expect(verifyBackup(made.directory, 'another passphrase', '')).rejects.toThrow(WrongPassphrase);
  const deps = { clock, log: createLog('silent'), actor };
  await expect(restoreBackup(deps, { from: made.directory, to: directory, passphrase })).rejects.toThrow(
    /--to database/,
  );

  const restored = await server.makeDatabase('restored');
  const masterKeyFile = join(directory, 'the.key');
  const target = { ...config, databaseUrl: restored, masterKey: undefined, masterKeyFile };
  const order = { from: made.directory, passphrase };
  expect(await restoreIntoDatabase({ ...deps, config: target }, order)).toEqual(new Date(made.manifest.madeAt));
  expect(readFileSync(masterKeyFile, 'utf8')).toBe(TEST_MASTER_KEY);
  const db = openDatabase(restored, { max: 1 });
  try {
    const [{ balance } = { balance: 0 }] = await balancesOf({ ...world, deps: { ...world.deps, db } }, [user]);
    expect(balance).toBeGreaterThanOrEqual(1_000_000);
    expect(balance).toBeLessThanOrEqual(after);
    expect((await checkLedger(db)).violations).toEqual([]);
    expect(await findHold(db)).toMatchObject({ from: new Date(made.manifest.madeAt) });
    await sql`CREATE TABLE it_takes_writes ()`.execute(db);
  } finally {
    await db.destroy();
  }
  await expect(restoreIntoDatabase({ ...deps, config: target }, order)).rejects.toThrow(/There are tables/);
  const other = { ...target, databaseUrl: await server.makeDatabase('other') };
  writeFileSync(masterKeyFile, 'x'.repeat(43));
  await expect(restoreIntoDatabase({ ...deps, config: other }, order)).rejects.toThrow(/is another key/);

  const halfway = await server.makeDatabase('halfway');
  const stopped = restoreDump({ backup: made.directory, url: halfway, programPath: '' }, async () => {
    throw new Error('stopped here');
  });
  await expect(stopped).rejects.toThrow('stopped here');
  await expect(write(halfway)).rejects.toMatchObject({ code: '25006' });

  const dump = join(made.directory, 'database.dump');
  writeFileSync(dump, readFileSync(dump).subarray(1));
  await expect(verifyBackup(made.directory, passphrase, '')).rejects.toThrow(/not as it was written/);
});

/**
 * A restore that is killed at any moment leaves an empty database, one that takes no writes, or one whose payments are held. `npm run
 * test:long` kills 25, each a tenth of a second later.
 */
const KILLS = Number(process.env.RESTORE_KILLS ?? 1);

test('T-B2 a restore is killed', { timeout: 60_000 * KILLS }, async () => {
  const { databaseUrl, clock } = world.deps;
  const config = { ...world.deps.config, databaseUrl, masterKey: TEST_MASTER_KEY };
  const made = await createBackup({ databaseUrl, clock, config }, { out, passphrase });
  const passphraseFile = join(directory, 'passphrase');
  writeFileSync(passphraseFile, passphrase);
  const found: Record<string, number> = {};
  for (let kill = 0; kill < KILLS; kill += 1) {
    const url = await server.makeDatabase(`killed_${kill}`);
    const dataDir = mkdtempSync(join(directory, 'killed-'));
    const restore = spawn(
      process.execPath,
      [
        ...[join(import.meta.dirname, '../../src/cli.ts'), 'backup', 'restore', '--from', made.directory],
        ...['--to', 'database', '--passphrase-file', passphraseFile],
      ],
      { stdio: 'ignore', env: { ...process.env, DATABASE_URL: url, DATA_DIR: dataDir, NODE_ENV: 'test' } },
    );
    const ended = new Promise((done) => restore.once('exit', done));
    await eventually(async () => restore.exitCode !== null || (await isClosed(url)) || undefined, 60_000);
    await new Promise((done) => setTimeout(done, kill * 100));
    restore.kill('SIGKILL');
    await ended;
    const state = await stateOf(url);
    found[state] = (found[state] ?? 0) + 1;
  }
  console.log(`killed restores: ${JSON.stringify(found)}`);
  expect(found).not.toHaveProperty('open');
});

test('a program that this machine lacks is named with its package', () => {
  expect(() => findTool('pg_dump', 99, '')).toThrow(
    /pg_dump of PostgreSQL 99 or newer is not on this machine .*apt-get install postgresql-client-99/,
  );
});

test('T-B2 nightly: made, verified and noted, and only then the night before goes', { timeout: 180_000 }, async () => {
  const { databaseUrl, clock, db } = world.deps;
  const nights = join(directory, 'nights');
  const deps = { databaseUrl, clock, db, config: { ...world.deps.config, databaseUrl, masterKey: TEST_MASTER_KEY } };
  const order = { out: nights, keep: 1, passphrase };
  const first = await backUpNightly(deps, order);
  expect(first.deleted).toEqual([]);
  expect(await readBackupVerified(db)).toEqual(first.madeAt);
  const nowhere = `${databaseUrl.replace('/raha?', '/nowhere?')}`;
  await expect(backUpNightly({ ...deps, databaseUrl: nowhere }, order)).rejects.toThrow(/nowhere/);
  expect(readdirSync(nights)).toContain(basename(first.directory));
  const second = await backUpNightly(deps, order);
  expect(second.deleted).toContain(basename(first.directory));
  expect(readdirSync(nights)).toEqual([basename(second.directory)]);
  expect(await readBackupVerified(db)).toEqual(second.madeAt);
});

async function write(url: string): Promise<void> {
  const db = openDatabase(url, { max: 1 });
  try {
    await sql`CREATE TABLE it_takes_no_writes ()`.execute(db);
  } finally {
    await db.destroy();
  }
}

async function isClosed(url: string): Promise<boolean> {
  const db = openDatabase(url, { max: 1 });
  try {
    const { rows } = await sql<{ value: string }>`
      SELECT current_setting('default_transaction_read_only') AS value
    `.execute(db);
    return rows[0]?.value === 'on';
  } finally {
    await db.destroy();
  }
}

async function stateOf(url: string): Promise<'closed' | 'held' | 'empty' | 'open'> {
  if (await isClosed(url)) return 'closed';
  const db = openDatabase(url, { max: 1 });
  try {
    const { rows } = await sql<{ found: string | null }>`SELECT to_regclass('setting')::text AS found`.execute(db);
    if (rows[0]?.found === null) return 'empty';
    return (await findHold(db)) ? 'held' : 'open';
  } finally {
    await db.destroy();
  }
}

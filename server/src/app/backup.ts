import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAudit } from '../modules/audit/audit.ts';
import { resendCompleteStates } from '../modules/fleet/node-state.ts';
import { holdPayments } from '../modules/payments/hold.ts';
import type { Actor } from '../platform/audit.ts';
import { BackupFault, checkBackup, type Manifest } from '../platform/backup-directory.ts';
import type { Clock } from '../platform/clock.ts';
import { backUpCluster, putBackCluster } from '../platform/cluster-backup.ts';
import type { Config } from '../platform/config.ts';
import { type Database, openDatabase } from '../platform/database.ts';
import { dumpDatabase, isDump, restoreDump } from '../platform/dump-backup.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres.ts';
import type { Log } from '../platform/log.ts';
import { openFile, sealFile } from '../platform/passphrase.ts';
import { createVault } from '../platform/sealed.ts';
import { checkLedger } from './check-ledger.ts';
import { holdsMasterKey, masterKeyFileOf, openVault, readMasterKey } from './master-key.ts';
import { migrate } from './migrate.ts';

/**
 * Backups of an installation: of the PostgreSQL that it runs itself as a copy of its files, of another one as a dump. The master key
 * lies in them sealed under a passphrase.
 */
const KEY_FILE = 'master.key.sealed';
const KEY_KIND = 'raha-master-key';

export async function createBackup(
  { config, databaseUrl, clock }: { readonly config: Config; readonly databaseUrl: string; readonly clock: Clock },
  { out, passphrase }: { readonly out: string; readonly passphrase: string },
): Promise<{ readonly directory: string; readonly manifest: Manifest }> {
  const now = clock.now();
  const to = join(out, `raha-${now.toISOString().replaceAll(/[:.]/g, '-')}`);
  mkdirSync(out, { recursive: true, mode: 0o700 });
  const key = { [KEY_FILE]: await sealFile(readMasterKey(config), KEY_KIND, passphrase) };
  const order = { url: databaseUrl, to, now };
  const manifest = await (config.databaseUrl === undefined
    ? backUpCluster({ ...order, dataDir: join(config.dataDir, 'postgres') }, key)
    : dumpDatabase({ ...order, programPath: config.programPath }, key));
  return { directory: to, manifest };
}

/**
 * Restores a backup into a scratch directory, proves its whole ledger, and opens a sealed value of it with the key that lies in it.
 * A dump is restored into a PostgreSQL of our own, never into the server that it came from. Returns when it was made.
 */
export async function verifyBackup(from: string, passphrase: string, programPath: string): Promise<Date> {
  const { madeAt } = await checkBackup(from);
  const masterKey = await openKey(from, passphrase);
  const dataDir = mkdtempSync(join(tmpdir(), 'raha-backup-'));
  const prove = async (db: Database) => {
    const { violations } = await checkLedger(db);
    if (violations.length > 0)
      throw new BackupFault(
        `The ledger in it does not hold: ${violations.map(({ invariant }) => invariant).join('; ')}`,
      );
    if (!(await holdsMasterKey(db, createVault(masterKey))))
      throw new BackupFault('The master key in it does not open what is sealed in it.');
  };
  try {
    if (!isDump(from)) await putBackCluster(from, dataDir);
    // A copy that is thrown away need not reach the disk.
    const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
    try {
      if (isDump(from))
        await restoreDump({ backup: from, url: postgres.url, programPath }, (url) => onDatabase(url, prove));
      else await onDatabase(postgres.url, prove);
    } finally {
      await postgres.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  return new Date(madeAt);
}

interface RestoreDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly actor: Actor;
}

/**
 * Puts a backup of the embedded PostgreSQL into an empty data directory, with its master key. Payments are held in it: what banks hold
 * since the backup is not in its books, and nobody should pay on top of that before the books agree with the banks.
 */
export async function restoreBackup(
  deps: RestoreDeps,
  { from, to, passphrase }: { readonly from: string; readonly to: string; readonly passphrase: string },
): Promise<Date> {
  const { madeAt } = await checkBackup(from);
  if (isDump(from))
    throw new BackupFault(
      'This backup is a dump of a PostgreSQL at DATABASE_URL: set DATABASE_URL to an empty database, and say --to database.',
    );
  const masterKey = await openKey(from, passphrase);
  const keyFile = join(to, 'master.key');
  refuseOtherKey(keyFile, masterKey);
  const dataDir = join(to, 'postgres');
  await putBackCluster(from, dataDir);
  writeFileSync(keyFile, masterKey, { mode: 0o600 });
  const postgres = await startEmbeddedPostgres({ dataDir });
  try {
    await onDatabase(postgres.url, (db) => holdAfterRestore(deps, db, masterKey, madeAt));
  } finally {
    await postgres.stop();
  }
  return new Date(madeAt);
}

/** The same of a dump, into the empty database at DATABASE_URL. The master key goes into its file, unless it is there already. */
export async function restoreIntoDatabase(
  { config, ...deps }: RestoreDeps & { readonly config: Config },
  { from, passphrase }: { readonly from: string; readonly passphrase: string },
): Promise<Date> {
  const { madeAt } = await checkBackup(from);
  const { databaseUrl: url, programPath } = config;
  if (url === undefined) throw new BackupFault('--to database is the one that DATABASE_URL names; it is not set.');
  if (!isDump(from))
    throw new BackupFault('This backup is of the PostgreSQL that Raha runs itself: say --to DATA_DIR.');
  const masterKey = await openKey(from, passphrase);
  const keyFile = masterKeyFileOf(config);
  if (keyFile) refuseOtherKey(keyFile, masterKey);
  else if (config.masterKey !== masterKey)
    throw new BackupFault('MASTER_KEY is another key than the one in the backup.');
  await restoreDump({ backup: from, url, programPath }, async (restored) => {
    await onDatabase(restored, (db) => holdAfterRestore(deps, db, masterKey, madeAt));
    if (keyFile && !existsSync(keyFile)) writeFileSync(keyFile, masterKey, { mode: 0o600 });
  });
  return new Date(madeAt);
}

function refuseOtherKey(keyFile: string, masterKey: string): void {
  if (existsSync(keyFile) && readFileSync(keyFile, 'utf8').trim() !== masterKey.trim())
    throw new BackupFault(`${keyFile} is another key than the one in the backup: move it away first.`);
}

async function holdAfterRestore({ clock, log, actor }: RestoreDeps, db: Database, masterKey: string, madeAt: string) {
  const audit = createAudit({ clock, vault: await openVault(db, masterKey), log });
  await holdPayments({ db, clock, audit }, { actor, from: new Date(madeAt), reason: 'restored from a backup' });
  await resendCompleteStates(db);
}

async function openKey(from: string, passphrase: string): Promise<string> {
  return await openFile(readFileSync(join(from, KEY_FILE), 'utf8'), KEY_KIND, passphrase);
}

/** Brings the database to the schema of this release and works on it. */
async function onDatabase(url: string, work: (db: Database) => Promise<void>): Promise<void> {
  await migrate(url);
  const db = openDatabase(url, { max: 2 });
  try {
    await work(db);
  } finally {
    await db.destroy();
  }
}

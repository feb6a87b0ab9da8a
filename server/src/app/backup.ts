import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paymentGateways } from '@raha/contract/payment-gateways.ts';
import { createAudit } from '../modules/audit/audit.ts';
import { switchGateway } from '../modules/payments/switch-gateway.ts';
import type { Actor } from '../platform/audit.ts';
import type { Clock } from '../platform/clock.ts';
import { BackupFault, backUpCluster, checkBackup, type Manifest, putBackCluster } from '../platform/cluster-backup.ts';
import type { Config } from '../platform/config.ts';
import { type Database, openDatabase } from '../platform/database.ts';
import { startEmbeddedPostgres } from '../platform/embedded-postgres.ts';
import type { Log } from '../platform/log.ts';
import { openFile, sealFile } from '../platform/passphrase.ts';
import { createVault } from '../platform/sealed.ts';
import { checkLedger } from './check-ledger.ts';
import { holdsMasterKey, openVault, readMasterKey } from './master-key.ts';
import { migrate } from './migrate.ts';

/** Backups of an installation with its own PostgreSQL. The master key lies in them sealed under a passphrase. */
const KEY_FILE = 'master.key.sealed';
const KEY_KIND = 'raha-master-key';

export async function createBackup(
  { config, databaseUrl, clock }: { readonly config: Config; readonly databaseUrl: string; readonly clock: Clock },
  { out, passphrase }: { readonly out: string; readonly passphrase: string },
): Promise<{ readonly directory: string; readonly manifest: Manifest }> {
  if (config.databaseUrl !== undefined)
    throw new BackupFault(
      'This installation has a PostgreSQL of its own at DATABASE_URL: back it up with its own tools.',
    );
  const now = clock.now();
  const directory = join(out, `raha-${now.toISOString().replaceAll(/[:.]/g, '-')}`);
  mkdirSync(out, { recursive: true, mode: 0o700 });
  const key = await sealFile(readMasterKey(config), KEY_KIND, passphrase);
  const order = { url: databaseUrl, dataDir: join(config.dataDir, 'postgres'), to: directory, now };
  return { directory, manifest: await backUpCluster(order, { [KEY_FILE]: key }) };
}

/**
 * Restores a backup into a scratch directory, proves its whole ledger, and opens a sealed value of it with the key that lies in it.
 * Returns when it was made.
 */
export async function verifyBackup(from: string, passphrase: string): Promise<Date> {
  const { madeAt } = await checkBackup(from);
  const masterKey = await openKey(from, passphrase);
  const dataDir = mkdtempSync(join(tmpdir(), 'raha-backup-'));
  try {
    await putBackCluster(from, dataDir);
    const prove = async (db: Database) => {
      const { violations } = await checkLedger(db);
      if (violations.length > 0)
        throw new BackupFault(
          `The ledger in it does not hold: ${violations.map(({ invariant }) => invariant).join('; ')}`,
        );
      if (!(await holdsMasterKey(db, createVault(masterKey))))
        throw new BackupFault('The master key in it does not open what is sealed in it.');
    };
    // A copy that is thrown away need not reach the disk.
    await withCluster(dataDir, prove, false);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  return new Date(madeAt);
}

/**
 * Puts a backup into an empty data directory, with its master key. Payments are off in it: what banks hold since the backup is not
 * in its books, and nobody should pay on top of that before the operator knows.
 */
export async function restoreBackup(
  { clock, log, actor }: { readonly clock: Clock; readonly log: Log; readonly actor: Actor },
  { from, to, passphrase }: { readonly from: string; readonly to: string; readonly passphrase: string },
): Promise<Date> {
  const { madeAt } = await checkBackup(from);
  const masterKey = await openKey(from, passphrase);
  const keyFile = join(to, 'master.key');
  if (existsSync(keyFile) && readFileSync(keyFile, 'utf8').trim() !== masterKey)
    throw new BackupFault(`${keyFile} is another key than the one in the backup: move it away first.`);
  const dataDir = join(to, 'postgres');
  await putBackCluster(from, dataDir);
  writeFileSync(keyFile, masterKey, { mode: 0o600 });
  await withCluster(dataDir, async (db) => {
    const audit = createAudit({ clock, vault: await openVault(db, masterKey), log });
    for (const name of paymentGateways) await switchGateway({ db, clock, audit }, { actor, name, value: 'off' });
  });
  return new Date(madeAt);
}

async function openKey(from: string, passphrase: string): Promise<string> {
  return await openFile(readFileSync(join(from, KEY_FILE), 'utf8'), KEY_KIND, passphrase);
}

async function withCluster(dataDir: string, work: (db: Database) => Promise<void>, durable = true): Promise<void> {
  const postgres = await startEmbeddedPostgres({ dataDir, durable });
  try {
    await migrate(postgres.url);
    const db = openDatabase(postgres.url, { max: 2 });
    try {
      await work(db);
    } finally {
      await db.destroy();
    }
  } finally {
    await postgres.stop();
  }
}

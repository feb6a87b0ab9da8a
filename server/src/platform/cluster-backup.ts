import { chmodSync, chownSync, createReadStream, createWriteStream, existsSync } from 'node:fs';
import { cp, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { BackupFault, type Manifest, makeBackup, walk } from './backup-directory.ts';
import { postgresUser } from './postgres-binaries.ts';

/**
 * Backups of the embedded PostgreSQL while it runs, by PostgreSQL's own low-level interface (its documentation, section
 * "Making a Base Backup Using the Low Level API"): its files are copied between pg_backup_start and pg_backup_stop, and then the
 * write-ahead log of that time, with which a start makes them whole. What was committed before the end is in the backup, which holds
 * `cluster/` and `postgres.url`.
 */

/** What a server makes anew when it starts; the directories have to be there. */
const EMPTY = [
  'pg_wal',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_replslot',
];
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?)$|(^|\/)(pg_internal\.init|pgsql_tmp)/;

/** Copies the cluster below `dataDir`, whose server runs at `url`, into the new directory `to`. `more` are further files, by name. */
export async function backUpCluster(
  {
    url,
    dataDir,
    ...order
  }: { readonly url: string; readonly dataDir: string; readonly to: string; readonly now: Date },
  more: Readonly<Record<string, string>>,
): Promise<Manifest> {
  return await makeBackup(order, more, async (directory) => {
    await copyCluster(url, join(dataDir, 'cluster'), join(directory, 'cluster'));
    await cp(join(dataDir, 'postgres.url'), join(directory, 'postgres.url'));
  });
}

async function copyCluster(url: string, from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  const client = new pg.Client({ connectionString: url, application_name: 'raha backup' });
  client.on('notice', () => undefined);
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('raha', true)");
    for (const name of EMPTY) await mkdir(join(to, name), { mode: 0o700 });
    await copyFiles(from, to);
    // The label says from where the log is read, and belongs to no other copy.
    const { rows } = await client.query<{ labelfile: string; last: string }>(
      'SELECT labelfile, pg_walfile_name(lsn) AS last FROM pg_backup_stop(true)',
    );
    const { labelfile = '', last = '' } = rows[0] ?? {};
    await writeFile(join(to, 'backup_label'), labelfile, { mode: 0o600 });
    await copyLog(join(from, 'pg_wal'), join(to, 'pg_wal'), labelfile, last);
  } finally {
    await client.end();
  }
}

/** Puts the cluster of a backup into the directory `dataDir`, in which there may be none. The next start makes it whole. */
export async function putBackCluster(backup: string, dataDir: string): Promise<void> {
  const cluster = join(dataDir, 'cluster');
  if (existsSync(cluster)) throw new BackupFault(`There is a database in ${dataDir}: move it away first.`);
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  await rm(`${cluster}.new`, { recursive: true, force: true });
  await cp(join(backup, 'cluster'), `${cluster}.new`, { recursive: true });
  await own(`${cluster}.new`);
  await cp(join(backup, 'postgres.url'), join(dataDir, 'postgres.url'));
  await rename(`${cluster}.new`, cluster);
}

async function copyFiles(from: string, to: string): Promise<void> {
  const skipped = new Set(EMPTY);
  const all = (await walk(from)).filter((path) => !skipped.has(path.split('/')[0] ?? '') && !LEFT_OUT.test(path));
  // Last: it says how far the other files are at least.
  const paths = [...all.filter((path) => path !== 'global/pg_control'), 'global/pg_control'];
  for (const path of paths) {
    await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 });
    // A table may be dropped meanwhile; the log drops it again.
    await copyFile(join(from, path), join(to, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  for (const path of await walkDirectories(from)) {
    if (!skipped.has(path.split('/')[0] ?? '')) await mkdir(join(to, path), { recursive: true, mode: 0o700 });
  }
}

/** The log from the file that the label names to the last one. */
async function copyLog(from: string, to: string, label: string, last: string): Promise<void> {
  const first = /^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)/m.exec(label)?.[1];
  if (!first) throw new BackupFault('PostgreSQL did not say where its log begins.');
  await mkdir(join(to, 'archive_status'), { mode: 0o700 });
  const segments = (await readdir(from)).filter((name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last);
  if (!segments.includes(first) || !segments.includes(last))
    throw new BackupFault('So much was written during the backup that its log is gone; try again.');
  const histories = (await readdir(from)).filter((name) => name.endsWith('.history'));
  for (const name of [...segments, ...histories]) await copyFile(join(from, name), join(to, name));
}

function copyFile(from: string, to: string): Promise<void> {
  return pipeline(createReadStream(from), createWriteStream(to, { mode: 0o600 }));
}

async function walkDirectories(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
}

/** PostgreSQL starts only on files of its own user that nobody else reads. */
async function own(directory: string): Promise<void> {
  const { uid, gid } = postgresUser();
  for (const path of ['', ...(await walkDirectories(directory)), ...(await walk(directory))]) {
    const file = join(directory, path);
    if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid);
    chmodSync(file, (await stat(file)).isDirectory() ? 0o700 : 0o600);
  }
}

import { createHash } from 'node:crypto';
import { chmodSync, chownSync, createReadStream, createWriteStream, existsSync } from 'node:fs';
import { cp, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { postgresUser } from './postgres-binaries.ts';

/**
 * Backups of the embedded PostgreSQL while it runs, by PostgreSQL's own low-level interface (its documentation, section
 * "Making a Base Backup Using the Low Level API"): its files are copied between pg_backup_start and pg_backup_stop, and then the
 * write-ahead log of that time, with which a start makes them whole. What was committed before the end is in the backup.
 *
 * A backup is a directory: `cluster/`, `postgres.url`, and `manifest.json`, which is written last and names every file with its hash.
 */
export interface Manifest {
  readonly version: 1;
  readonly madeAt: string;
  /** Bytes and SHA-256 by path. */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly sha256: string }>>;
}

/** Something about a backup that the operator has to know. */
export class BackupFault extends Error {
  override readonly name = 'BackupFault';
}

const MANIFEST = 'manifest.json';
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
    to,
    now,
  }: { readonly url: string; readonly dataDir: string; readonly to: string; readonly now: Date },
  more: Readonly<Record<string, string>>,
): Promise<Manifest> {
  const cluster = join(dataDir, 'cluster');
  const unfinished = `${to}.unfinished`;
  if (existsSync(to)) throw new BackupFault(`${to} is there already.`);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(join(unfinished, 'cluster'), { recursive: true, mode: 0o700 });
  const client = new pg.Client({ connectionString: url, application_name: 'raha backup' });
  client.on('notice', () => undefined);
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('raha', true)");
    for (const name of EMPTY) await mkdir(join(unfinished, 'cluster', name), { mode: 0o700 });
    await copyFiles(cluster, join(unfinished, 'cluster'));
    // The label says from where the log is read, and belongs to no other copy.
    const { rows } = await client.query<{ labelfile: string; last: string }>(
      'SELECT labelfile, pg_walfile_name(lsn) AS last FROM pg_backup_stop(true)',
    );
    const { labelfile = '', last = '' } = rows[0] ?? {};
    await writeFile(join(unfinished, 'cluster/backup_label'), labelfile, { mode: 0o600 });
    await copyLog(join(cluster, 'pg_wal'), join(unfinished, 'cluster/pg_wal'), labelfile, last);
  } finally {
    await client.end();
  }
  await cp(join(dataDir, 'postgres.url'), join(unfinished, 'postgres.url'));
  for (const [name, text] of Object.entries(more)) await writeFile(join(unfinished, name), text, { mode: 0o600 });
  const files = Object.fromEntries(
    await Promise.all((await walk(unfinished)).map((path) => describe(unfinished, path))),
  );
  const manifest: Manifest = { version: 1, madeAt: now.toISOString(), files };
  await writeFile(join(unfinished, MANIFEST), `${JSON.stringify(manifest)}\n`, { mode: 0o600 });
  await syncAll(unfinished, [...Object.keys(files), MANIFEST]);
  await rename(unfinished, to);
  return manifest;
}

/** The manifest of a backup each of whose files is as it was written. Throws `BackupFault`. */
export async function checkBackup(directory: string): Promise<Manifest> {
  const text = await readFile(join(directory, MANIFEST), 'utf8').catch(() => undefined);
  if (text === undefined) throw new BackupFault(`${directory} is no backup, or one that was not finished.`);
  const manifest = JSON.parse(text) as Manifest;
  for (const [path, expected] of Object.entries(manifest.files)) {
    const found = existsSync(join(directory, path)) ? (await describe(directory, path))[1] : undefined;
    if (found?.sha256 !== expected.sha256) throw new BackupFault(`${join(directory, path)} is not as it was written.`);
  }
  return manifest;
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

async function describe(directory: string, path: string): Promise<[string, { bytes: number; sha256: string }]> {
  const hash = createHash('sha256');
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done();
    },
  });
  await pipeline(createReadStream(join(directory, path)), count.resume());
  return [path, { bytes, sha256: hash.digest('hex') }];
}

async function walk(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
}

async function walkDirectories(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
}

/** On the disk before the backup has its name. */
async function syncAll(directory: string, paths: readonly string[]): Promise<void> {
  const sync = async (path: string) => {
    const handle = await open(join(directory, path), 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  };
  // The file system writes its journal once for many.
  for (let at = 0; at < paths.length; at += 100) await Promise.all(paths.slice(at, at + 100).map(sync));
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

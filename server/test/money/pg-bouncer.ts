import { spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresUser } from '../../src/platform/postgres-binaries.ts';
import { freePort } from '../free-port.ts';

const PROGRAM = '/usr/sbin/pgbouncer';
const LIMITS =
  'SET statement_timeout = 60000; SET idle_in_transaction_session_timeout = 60000; SET random_page_cost = 1.1';

export interface PgBouncer {
  /** The address of the database behind it. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Debian's PgBouncer in transaction mode, set up as docs/operations.md says, before a database that is reached over a socket. It has so
 * few connections that transactions of different callers follow each other on each of them.
 */
export async function startPgBouncer(
  databaseUrl: string,
  { connections = 4, limits = LIMITS }: { readonly connections?: number; readonly limits?: string } = {},
): Promise<PgBouncer> {
  const { pathname, searchParams } = new URL(databaseUrl);
  const [database, role] = [pathname.slice(1), searchParams.get('user')];
  const directory = mkdtempSync(join(tmpdir(), 'raha-pgbouncer-'));
  const port = await freePort();
  const file = join(directory, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
${database} = host=${searchParams.get('host')} dbname=${database} user=${role}${limits && ` connect_query='${limits}'`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 400
logfile = ${join(directory, 'log')}
`,
  );
  const { uid, gid } = postgresUser();
  if (uid !== undefined && gid !== undefined) for (const path of [directory, file]) chownSync(path, uid, gid);
  // It refuses to run as root.
  const child = spawn(PROGRAM, ['-q', file], { ...postgresUser(), cwd: '/', stdio: 'ignore' });
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}.`);
    await sleep(50);
  }
  return {
    url: `postgres://${role}@127.0.0.1:${port}/${database}`,
    async stop() {
      const gone = new Promise((done) => child.once('exit', done));
      // At once: SIGINT would wait for the connections of others.
      child.kill('SIGTERM');
      await gone;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('close', () => done(false));
    socket.once('connect', () => socket.destroy());
  });
}

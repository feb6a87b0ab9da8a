import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEnvironment, ensureInstalled, fail } from './install.mjs';
import { ensureSystemPackages, testPackages } from './system-packages.mjs';

/**
 * `npm run test:postgres [-- files]`: the flow tests on Debian's PostgreSQL (root on Debian; 15 on Debian 12), which is what an
 * installation uses. `npm test` runs them on the built-in version. Tests that start a cluster of their own keep to the built-in one.
 */
const programs = '/usr/lib/postgresql';
const node = ensureInstalled();
ensureSystemPackages(testPackages, console.error);
const [version] = existsSync(programs) ? readdirSync(programs).sort((a, b) => Number(b) - Number(a)) : [];
if (!version) fail(`There is no PostgreSQL in ${programs}. On Debian, install the package postgresql.`);
const postgres = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
if (!postgres || process.getuid?.() !== 0) fail('PostgreSQL is started as its own user, which needs root.');
const [uid, gid] = [Number(postgres[1]), Number(postgres[2])];

const directory = mkdtempSync(join(tmpdir(), 'raha-debian-postgres-'));
chownSync(directory, uid, gid);
const data = join(directory, 'data');
const port = await freePort();
try {
  run('initdb', '--pgdata', data, '--auth=trust', '--locale=C.UTF-8', '--encoding=UTF8', '--no-sync');
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: directory };
  const more = { timezone: 'UTC', max_connections: 200, shared_buffers: '256MB', max_wal_size: '2GB', fsync: 'off' };
  const flags = Object.entries({ ...settings, ...more }).map(([name, value]) => `-c ${name}=${value}`);
  run('pg_ctl', '--pgdata', data, '--wait', '--log', join(directory, 'log'), '--options', flags.join(' '), 'start');
  const psql = ['--quiet', '--host', directory, '--port', String(port), '--dbname', 'postgres', '--command'];
  run('psql', ...psql, 'CREATE ROLE raha LOGIN CREATEDB CREATEROLE');
  run('psql', ...psql, 'CREATE DATABASE raha OWNER raha');
  console.log(`The flow tests on PostgreSQL ${version}`);
  const files = process.argv.slice(2);
  // The file server/schema.sql is written as the built-in version describes its tables.
  const flow = ['run', '--project', 'flow', '--exclude', 'server/test/schema.test.ts'];
  const { status } = spawnSync(node, ['node_modules/vitest/vitest.mjs', ...flow, ...files], {
    stdio: 'inherit',
    env: childEnvironment({ TEST_DATABASE_URL: `postgres://raha@127.0.0.1:${port}/raha` }),
  });
  process.exitCode = status ?? 1;
} finally {
  if (existsSync(join(data, 'postmaster.pid'))) run('pg_ctl', '--pgdata', data, '--mode', 'immediate', 'stop');
  rmSync(directory, { recursive: true, force: true });
}

function run(program, ...args) {
  const path = join(programs, version, 'bin', program);
  const options = { uid, gid, cwd: directory, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
  // The server that pg_ctl starts keeps its output open, so there is none to wait for.
  const { status } = spawnSync(path, args, { ...options, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${program} failed (${status}); see above.`);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port: free } = server.address();
      server.close(() => resolve(free));
    });
  });
}

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { must } from '../e2e/world/processes.ts';

/** PostgreSQL's own benchmark (TPC-B-like, its default), the yardstick of everything that writes money. */
export interface Pgbench {
  /** Transactions per second at 8 clients over `seconds`. */
  run(seconds: number): Promise<number>;
}

const DATABASE = 'bench_tpcb';
/** At least the number of clients, or they would wait for the same branch row. */
const SCALE = 20;

export const CLIENTS = 8;

/** Prepares it on the measured server. */
export async function preparePgbench(clusterUrl: string): Promise<Pgbench> {
  const program = findPgbench();
  const client = new pg.Client(clusterUrl);
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${DATABASE} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${DATABASE}`);
  await client.end();
  const url = new URL(clusterUrl);
  const environment = {
    ...process.env,
    PGHOST: url.hostname,
    PGPORT: url.port,
    PGUSER: url.username,
    PGPASSWORD: url.password,
    PGDATABASE: DATABASE,
  };
  await must(program, ['-i', '-q', '-s', String(SCALE)], { env: environment });
  return {
    run: async (seconds) => {
      const output = await must(program, ['-n', '-c', String(CLIENTS), '-j', '2', '-T', String(seconds)], {
        env: environment,
      });
      return Number(/tps = ([\d.]+)/.exec(output)?.[1]);
    },
  };
}

/** Debian's `pgbench` on the PATH is a wrapper that needs the server package; the program itself is beside the server. */
function findPgbench(): string {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
  const found = [
    ...versions.map((version) => join(base, version, 'bin/pgbench')),
    '/usr/bin/pgbench',
    '/usr/local/bin/pgbench',
  ];
  const program = found.find((path) => existsSync(path));
  if (!program) throw new Error('pgbench is missing. On Debian, as root: apt-get install postgresql');
  return program;
}

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { TEMPLATE_DATABASE } from './postgres-setup.ts';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/**
 * A fresh database on the real PostgreSQL of this test run: migrated, by cloning a template in well under a second, or
 * `empty`.
 */
export async function createTestDatabase(options: { readonly empty?: boolean } = {}): Promise<TestDatabase> {
  const cluster = inject('postgresUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Writing each page of the copy to the log, which is the usual way, takes five times as long.
  const copy = `TEMPLATE ${TEMPLATE_DATABASE} STRATEGY FILE_COPY`;
  await execute(cluster, `CREATE DATABASE ${name} ${options.empty ? '' : copy}`);
  const url = new URL(cluster);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    // Not WITH (FORCE): it may not end a vacuum that the server has just started there. Without it, the server ends the
    // vacuum itself.
    drop: async () => {
      await execute(
        cluster,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND usename = current_user`,
      );
      await execute(cluster, `DROP DATABASE IF EXISTS ${name}`);
    },
  };
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

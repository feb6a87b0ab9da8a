import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { BackupFault, type Manifest, makeBackup } from './backup-directory.ts';
import { findTool, runTool } from './postgres-tools.ts';

/**
 * Backups of a PostgreSQL that Raha does not run itself, by its own pg_dump: the backup holds `database.dump`, the database as it was
 * at one moment, which any PostgreSQL of this or a newer version takes.
 */
const DUMP = 'database.dump';
/** The server may have other roles and grants than ours: a restored database belongs to who restores it. */
const OWN = ['--no-owner', '--no-privileges'];
/** While a database is being restored it refuses writes; ours say that they may all the same. */
const WRITES = '-c default_transaction_read_only=off';

export function isDump(backup: string): boolean {
  return existsSync(join(backup, DUMP));
}

/** Writes the database at `url` into the new directory `to`. `more` are further files, by name. */
export async function dumpDatabase(
  { url, programPath, ...order }: { url: string; programPath: string; to: string; now: Date },
  more: Readonly<Record<string, string>>,
): Promise<Manifest> {
  const tool = findTool('pg_dump', await serverMajor(url), programPath);
  return await makeBackup(order, more, async (directory) => {
    await runTool(tool, ['--format=custom', ...OWN, `--file=${join(directory, DUMP)}`], url);
  });
}

/**
 * Fills the empty database at `url` from a backup, whole or not at all, and then runs `work` on it. Until `work` is done the database
 * takes no writes of others, also when this process is killed: nothing can run on it that does not know that it was restored.
 */
export async function restoreDump(
  { backup, url, programPath }: { backup: string; url: string; programPath: string },
  work: (url: string) => Promise<void>,
): Promise<void> {
  const tool = findTool('pg_restore', await serverMajor(url), programPath);
  const { database = '' } = new pg.Client({ connectionString: url });
  if ((await ask(url, COUNT_TABLES)) !== '0')
    throw new BackupFault('There are tables in that database: restore into an empty one.');
  const alter = `ALTER DATABASE ${pg.escapeIdentifier(database)}`;
  await ask(url, `${alter} SET default_transaction_read_only = on`);
  const mode = ['--exit-on-error', '--single-transaction', ...OWN];
  try {
    await runTool(tool, [...mode, `--dbname=${database}`, join(backup, DUMP)], url, WRITES);
  } catch (error) {
    // It is as empty as it was.
    await ask(url, `${alter} RESET default_transaction_read_only`);
    throw error;
  }
  await work(withOptions(url));
  await ask(url, `${alter} RESET default_transaction_read_only`);
}

const COUNT_TABLES = `SELECT count(*)::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'`;

async function serverMajor(url: string): Promise<number> {
  return Math.floor(Number(await ask(url, "SELECT current_setting('server_version_num')")) / 10_000);
}

async function ask(url: string, query: string): Promise<string> {
  const client = new pg.Client({ connectionString: withOptions(url), application_name: 'raha backup' });
  await client.connect();
  try {
    const { rows } = await client.query<[string]>({ text: query, rowMode: 'array' });
    return rows[0]?.[0] ?? '';
  } finally {
    await client.end();
  }
}

function withOptions(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}options=${encodeURIComponent(WRITES)}`;
}

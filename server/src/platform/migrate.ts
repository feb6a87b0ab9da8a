import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Database } from './database.ts';

const directory = join(import.meta.dirname, '../../migrations');
/** Two processes never migrate at once. */
const LOCK = 1_862_026;
/** A change of a table that has to wait longer than this for others gives way to them, and tries again. */
const LOCK_TIMEOUT_MS = 2_000;
const ATTEMPTS = 60;
/** What pg calls the statements that change rows. */
const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE']);
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/**
 * Brings a database to the newest schema, or to an earlier one, named by its last migration. Safe to run from several
 * processes at once, and again after it was killed. Each file is a transaction of its own; one with `-- step` lines is one
 * transaction per step, so that no lock is held for the whole of it.
 *
 * `-- step: repeat`: the statements run again, each time as a transaction, until they change no row.
 * `-- step: alone`: statements outside a transaction, as CREATE INDEX CONCURRENTLY needs it; they may run twice.
 */
export async function migrateSchema(url: string, options: { readonly to?: string } = {}): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    // The table of Kysely's Migrator, which earlier releases used.
    await client.query(`
      CREATE TABLE IF NOT EXISTS kysely_migration (name varchar(255) PRIMARY KEY, "timestamp" varchar(255) NOT NULL)
    `);
    const { rows } = await client.query<{ name: string }>('SELECT name FROM kysely_migration');
    const done = new Set(rows.map(({ name }) => name));
    for (const name of await listMigrations()) {
      if (!done.has(name)) await runMigration(client, name, await readMigration(name), done);
      if (name === options.to) return;
    }
  } finally {
    await client.end();
  }
}

/** Runs one migration, from the step where an earlier run of it ended. */
export async function runMigration(
  client: pg.Client,
  name: string,
  text: string,
  done: ReadonlySet<string> = new Set(),
): Promise<void> {
  const steps = stepsOf(text);
  for (const [index, step] of steps.entries()) {
    const mark = index === steps.length - 1 ? name : `${name} step ${index + 1}`;
    if (!done.has(mark)) await runStep(client, step, mark);
  }
  await client.query(`DELETE FROM kysely_migration WHERE name LIKE $1 || ' step %'`, [name]);
}

interface Step {
  readonly kind: 'once' | 'repeat' | 'alone';
  readonly text: string;
}

function stepsOf(text: string): Step[] {
  const [head = '', ...parts] = text.split(/^(?=-- step)/m);
  const isHead = /^\s*(--.*\s*)*$/.test(head);
  return (isHead && parts.length > 0 ? parts : [head, ...parts]).map((part) => {
    const kind = /^-- step: (repeat|alone)$/m.exec(part.split('\n')[0] ?? '')?.[1];
    return { kind: (kind ?? 'once') as Step['kind'], text: part };
  });
}

async function runStep(client: pg.Client, { kind, text }: Step, mark: string): Promise<void> {
  const note = () => client.query('INSERT INTO kysely_migration (name, "timestamp") VALUES ($1, now()::text)', [mark]);
  if (kind === 'alone') {
    for (const statement of text.split(/;\s*$/m)) if (statement.trim()) await client.query(statement);
    await note();
    return;
  }
  for (let isOver = false; !isOver; ) {
    await inPatientTransaction(client, async () => {
      const results = [await client.query(text)].flat();
      isOver = kind === 'once' || results.every(({ command, rowCount }) => !CHANGES.has(command) || !rowCount);
      if (isOver) await note();
    });
  }
}

async function inPatientTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query('BEGIN');
    try {
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await work();
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK');
      const { code } = error as { code?: unknown };
      if ((code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) || attempt === ATTEMPTS) throw error;
      await sleep(500);
    }
  }
}

/** Names of the migrations that have not run on this database. */
export async function listPendingMigrations(db: Database): Promise<string[]> {
  const { rows: found } = await sql<{
    there: boolean;
  }>`SELECT to_regclass('kysely_migration') IS NOT NULL AS there`.execute(db);
  const all = await listMigrations();
  if (!found[0]?.there) return all;
  const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration`.execute(db);
  const done = new Set(rows.map(({ name }) => name));
  return all.filter((name) => !done.has(name));
}

/** Names of all migrations, in their order. */
async function listMigrations(): Promise<string[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  return files.map((file) => file.replace(/\.sql$/, ''));
}

function readMigration(name: string): Promise<string> {
  return readFile(join(directory, `${name}.sql`), 'utf8');
}

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { type Database, openDatabase } from './database.ts';

const directory = join(import.meta.dirname, '../../migrations');

/**
 * Brings a database to the newest schema, or to an earlier one, named by its last migration. Safe to run from several
 * processes at once: Kysely's Migrator takes a lock.
 */
export async function migrateSchema(url: string, options: { readonly to?: string } = {}): Promise<void> {
  const db = openDatabase(url, { max: 2 });
  try {
    const migrator = new Migrator({ db, provider: { getMigrations } });
    const { error } = await (options.to ? migrator.migrateTo(options.to) : migrator.migrateToLatest());
    if (error) throw error;
  } finally {
    await db.destroy();
  }
}

/** Names of the migrations that have not run on this database. */
export async function listPendingMigrations(db: Database): Promise<string[]> {
  const found = await new Migrator({ db, provider: { getMigrations } }).getMigrations();
  return found.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
}

async function getMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const migrations: Record<string, Migration> = {};
  for (const file of files) {
    const text = await readFile(join(directory, file), 'utf8');
    migrations[file.replace(/\.sql$/, '')] = {
      async up(db) {
        await sql.raw(text).execute(db);
      },
    };
  }
  return migrations;
}

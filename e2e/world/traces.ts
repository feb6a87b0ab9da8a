import { sql } from 'kysely';
import { openDatabase } from '../../server/src/platform/database.ts';
import type { ControlPlane } from './control-plane.ts';
import { run } from './processes.ts';
import type { World } from './world.ts';

/**
 * Where any of these words occur: in every row of every table, every file of the control plane's data (logs, emails, jobs,
 * PostgreSQL's own files and its write-ahead log), and all files of the node's agent and daemons.
 */
export async function findTraces(world: World, words: readonly string[]): Promise<string[]> {
  const inTables = await searchTables(world.controlPlane, words);
  const inFiles = await searchFiles(world.controlPlane.dataDir, words);
  const onNode = world.vpnNode
    .writings()
    .filter(({ text }) => words.some((word) => text.includes(word)))
    .map(({ path }) => path);
  return [...inTables, ...inFiles, ...onNode];
}

async function searchTables(controlPlane: ControlPlane, words: readonly string[]): Promise<string[]> {
  const db = openDatabase(await controlPlane.databaseUrl(), { onError: () => {} });
  try {
    const tables = await sql<{ name: string }>`
      SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
    `.execute(db);
    if (tables.rows.length < 20) throw new Error('these are not all tables');
    const found: string[] = [];
    for (const { name } of tables.rows) {
      const conditions = words.map((word) => sql`position(${word} IN t::text) > 0`);
      const rows = await sql`
        SELECT 1 FROM ${sql.raw(name)} AS t WHERE ${sql.join(conditions, sql` OR `)} LIMIT 1
      `.execute(db);
      if (rows.rows.length > 0) found.push(`table ${name}`);
    }
    return found;
  } finally {
    await db.destroy();
  }
}

async function searchFiles(directory: string, words: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await run('grep', ['-rlaF', ...words.flatMap((word) => ['-e', word]), directory]);
  // 1: nothing found. 2: a file disappeared while it was being read; what was found counts.
  if (code !== 0 && code !== 1 && code !== 2) throw new Error(`grep: ${stderr}`);
  return stdout.split('\n').filter(Boolean);
}

import { sql } from 'kysely';
import type { Database } from '../src/platform/database.ts';

/**
 * By table, what stands in every row of the product's own tables. The queue's jobs are elsewhere, and are done meanwhile.
 */
export async function fingerprint(db: Database): Promise<Readonly<Record<string, string | null>>> {
  const { rows: tables } = await sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name
  `.execute(db);
  const sums = tables.map(
    ({ name }) => `SELECT '${name}' AS name, md5(string_agg(t::text, '|' ORDER BY t::text)) AS sum FROM "${name}" t`,
  );
  const { rows } = await sql.raw<{ name: string; sum: string | null }>(sums.join(' UNION ALL ')).execute(db);
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]));
}

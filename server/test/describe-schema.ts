import { join } from 'node:path';
import pg from 'pg';

export const SCHEMA_FILE = join(import.meta.dirname, '../schema.sql');

/**
 * The schema of a database as one deterministic text, read from the catalogue: tables with their columns, constraints,
 * indexes and triggers, then views and functions, each sorted by name. The schemas of the job queue and of the migrator, and
 * what belongs to an extension, are left out.
 */
export async function describeSchema(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const parts: string[] = [];
    for (const kind of [TABLES, VIEWS, FUNCTIONS, TRIGGERS]) {
      const { rows } = await client.query<{ text: string }>(kind);
      parts.push(...rows.map(({ text }) => text.trimEnd()));
    }
    const text = parts.join('\n\n').replaceAll('timestamp with time zone', 'timestamptz');
    return `${HEADER}\n\n${text}\n`;
  } finally {
    await client.end();
  }
}

const HEADER = `-- The schema that the migrations of this folder add up to. Written by \`npm run schema\`, compared by a test; never edited.`;

const OURS = `n.nspname = 'public' AND c.relname NOT LIKE 'kysely\\_%'`;

/** A NOT NULL belongs to its column here; since PostgreSQL 18 it is a constraint as well. */
const TABLES = `
  SELECT 'CREATE TABLE ' || c.relname || E' (\\n' || concat_ws(E',\\n', columns.text, constraints.text) || E'\\n)'
    || coalesce(' WITH (' || array_to_string(c.reloptions, ', ') || ')', '') || ';' || coalesce(E'\\n' || indexes.text, '') AS text
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  CROSS JOIN LATERAL (
    SELECT string_agg('  ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
      || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), ''), E',\\n' ORDER BY a.attnum) AS text
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  ) columns
  CROSS JOIN LATERAL (
    SELECT string_agg('  CONSTRAINT ' || k.conname || ' ' || pg_get_constraintdef(k.oid, true), E',\\n'
      ORDER BY array_position('{p,u,f,c}'::"char"[], k.contype), k.conname) AS text
    FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u', 'f', 'c')
  ) constraints
  CROSS JOIN LATERAL (
    SELECT string_agg(replace(pg_get_indexdef(i.indexrelid), ' public.', ' ') || ';', E'\\n' ORDER BY x.relname) AS text
    FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
    WHERE i.indrelid = c.oid AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u'))
  ) indexes
  WHERE ${OURS} AND c.relkind = 'r' ORDER BY c.relname`;

const VIEWS = `
  SELECT 'CREATE VIEW ' || c.relname || E' AS\\n' || pg_get_viewdef(c.oid, true) AS text
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${OURS} AND c.relkind = 'v' ORDER BY c.relname`;

const FUNCTIONS = `
  SELECT replace(pg_get_functiondef(p.oid), 'FUNCTION public.', 'FUNCTION ') || ';' AS text
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE n.nspname = 'public' AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  ORDER BY p.proname`;

const TRIGGERS = `
  SELECT string_agg(replace(pg_get_triggerdef(t.oid, true), ' public.', ' ') || ';', E'\\n' ORDER BY t.tgname) AS text
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE ${OURS} AND NOT t.tgisinternal`;

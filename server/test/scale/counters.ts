import { sql } from 'kysely';
import type { Database } from '../../src/platform/database.ts';
import { withStatements } from '../own-statements.ts';

/** What a piece of work cost the database. */
export interface Cost {
  /** Statements that the process sent, without BEGIN and COMMIT. */
  readonly queries: number;
  /** Writes to the database's socket, each of one or more statements (`readTogether`). */
  readonly messages: number;
  /** Rows of tables and entries of indexes that were read, whether they were wanted or not. */
  readonly rows: number;
  /** The tables of which most was read. */
  readonly most: Readonly<Record<string, number>>;
}

/**
 * Counts the statements of `work` and the rows that are read meanwhile. The database has to have a single connection:
 * PostgreSQL hands over the counts of a connection after its transaction, when it is told to.
 */
export async function costOf(db: Database, work: () => Promise<unknown>): Promise<Cost> {
  const before = await readsByTable(db);
  let queries = 0;
  let messages = 0;
  let unsent = 0;
  await withStatements((text, run) => {
    if (!/^\s*(begin|start|commit|rollback)/i.test(text)) queries += 1;
    // Of statements that are sent together each is seen within the one before it.
    if (unsent === 0) messages += 1;
    unsent += 1;
    try {
      return run();
    } finally {
      unsent -= 1;
    }
  }, work);
  const reads = [...(await readsByTable(db))].map(([name, read]) => [name, read - (before.get(name) ?? 0)] as const);
  const most = reads.filter(([, read]) => read > 0).sort((a, b) => b[1] - a[1]);
  return {
    queries,
    messages,
    rows: most.reduce((sum, [, read]) => sum + read, 0),
    most: Object.fromEntries(most.slice(0, 4)),
  };
}

/** Rows and index entries of the product's tables read so far; those of the job queue depend on when its workers look. */
async function readsByTable(db: Database): Promise<Map<string, number>> {
  await sql`SELECT pg_stat_force_next_flush()`.execute(db);
  await sql`SELECT 1`.execute(db);
  const { rows } = await sql<{ name: string; read: bigint }>`
    SELECT name, sum(read)::bigint AS read FROM (
      SELECT relname AS name, seq_tup_read AS read FROM pg_stat_user_tables WHERE schemaname = 'public'
      UNION ALL SELECT relname, idx_tup_read FROM pg_stat_user_indexes WHERE schemaname = 'public'
    ) reads GROUP BY name
  `.execute(db);
  return new Map(rows.map(({ name, read }) => [name, Number(read)]));
}

/** Pages of tables and indexes that a piece of work touched, in memory or on disk. The database has to have a single connection. */
export async function buffersOf(db: Database, work: () => Promise<unknown>): Promise<number> {
  const before = await pagesTouched(db);
  await work();
  return (await pagesTouched(db)) - before;
}

async function pagesTouched(db: Database): Promise<number> {
  await sql`SELECT pg_stat_force_next_flush()`.execute(db);
  await sql`SELECT 1`.execute(db);
  const { rows } = await sql<{ pages: bigint }>`
    SELECT sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0))::bigint AS pages
    FROM pg_statio_user_tables WHERE schemaname = 'public'
  `.execute(db);
  return Number(rows[0]?.pages);
}

import { createHash } from 'node:crypto';
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';

/**
 * The database. Queries are SQL in each module's `tables.ts`; Kysely carries connections, transactions and parameters.
 * int8 arrives as bigint, timestamptz as Date.
 */
export type Database = Kysely<unknown>;
export type Tx = Transaction<unknown>;
/** Either a transaction or the pool, for reads. */
export type Executor = Database | Tx;

const INT8 = 20;
const NUMERIC = 1700;

const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === INT8 || oid === NUMERIC) return BigInt as never;
    return pg.types.getTypeParser(oid, format) as never;
  },
};

/** Names every parameterised statement, so that PostgreSQL plans it once per connection (1.3–1.7 times the throughput). */
class PreparingClient extends pg.Client {
  override query(...args: unknown[]): never {
    const [text, values] = args;
    if (typeof text === 'string' && Array.isArray(values) && values.length > 0) {
      args[0] = { text, values, name: statementName(text) };
      args.splice(1, 1);
    }
    return super.query(...(args as [string])) as never;
  }
}

const statementNames = new Map<string, string>();
function statementName(text: string): string {
  let name = statementNames.get(text);
  if (!name) {
    name = createHash('sha1').update(text).digest('hex').slice(0, 24);
    statementNames.set(text, name);
  }
  return name;
}

export function openDatabase(url: string, options: { max?: number; onError?: (error: Error) => void } = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 20,
    // A caller that gets no connection in this time fails and releases what it holds, so that a jam resolves itself.
    connectionTimeoutMillis: 10_000,
    types: typeParsers,
    Client: PreparingClient as never,
    application_name: 'raha',
  });
  // An idle connection that breaks is not the caller's problem: the pool replaces it.
  pool.on('error', (error) => options.onError?.(error));
  // One that breaks in use fails its queries; an error event without a listener would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
}

/** What a database and its transactions have in common, as a key for what a process remembers of it. */
export function poolOf(db: Executor): object {
  return db.getExecutor().adapter;
}

const RETRYABLE = new Set(['40001', '40P01']);
const MAX_ATTEMPTS = 6;

/**
 * Runs `work` in one READ COMMITTED transaction. Serialization failures and deadlocks are retried from the start, so
 * `work` must have no effect outside the database. It must use `tx` for every query: a transaction that waits for a
 * second connection can deadlock the whole pool.
 */
export async function inTransaction<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !RETRYABLE.has(sqlState(error) ?? '')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 2 ** attempt));
    }
  }
}

/**
 * For set-based statements over a few thousand known rows of large tables: forces index lookups in the given order,
 * whatever size of the array the planner estimates. Rows are locked in that order. Holds until the transaction ends.
 */
export async function byIndex(tx: Tx): Promise<void> {
  await sql`
    SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true)
  `.execute(tx);
}

/** The major version of the PostgreSQL server, and its clock. */
export async function readServerFacts(db: Executor): Promise<{ readonly major: number; readonly now: Date }> {
  const { rows } = await sql<{ version: number; now: Date }>`
    SELECT current_setting('server_version_num')::int AS version, clock_timestamp() AS now
  `.execute(db);
  const { version, now } = rows[0] as { version: number; now: Date };
  return { major: Math.floor(version / 10_000), now };
}

/** The SQLSTATE of a PostgreSQL error, or undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** The constraint that a PostgreSQL error names. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

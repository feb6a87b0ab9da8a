import { CompiledQuery, Kysely, PostgresDialect, type PostgresPool, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { breakWhenAway, DatabaseAway, type DatabaseWatch } from './database-watch.ts';
import { parseInstant } from './instants.ts';
import { type Answer, Exchange, type RowsOfEach, type Statement } from './statements.ts';

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
const TIMESTAMPTZ = 1184;

const typeParsers: pg.CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (oid === INT8 || oid === NUMERIC) return BigInt as never;
    if (oid === TIMESTAMPTZ && format !== 'binary') return parseInstant as never;
    return pg.types.getTypeParser(oid, format) as never;
  },
};

interface ClientConfig extends pg.ClientConfig {
  readonly pooled?: boolean;
}

/**
 * Sends parameterised statements as `Exchange`s and names them, so that PostgreSQL plans each once per connection (1.3–1.7 times the
 * throughput). Not over a PgBouncer, where the next transaction has another connection, which does not know the name.
 *
 * The beginning of a transaction waits for its first statement and is sent with it.
 */
class PreparingClient extends pg.Client {
  readonly #known;
  #isBeginning = false;
  /** As the server says of itself when the connection begins, and when that changes; PostgreSQL 14 and newer do. */
  isStandby = false;

  constructor(config?: ClientConfig) {
    super(config);
    this.#known = { isNaming: !config?.pooled, columns: new Map(), types: typeParsers };
    type Parameter = { readonly parameterName: string; readonly parameterValue: string };
    const { connection } = this as unknown as {
      connection: { on(event: 'parameterStatus', listener: (parameter: Parameter) => void): void };
    };
    connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName === 'in_hot_standby') this.isStandby = parameterValue === 'on';
    });
  }

  async readTogether(statements: readonly Statement[]): Promise<(readonly unknown[])[]> {
    return (await this.#exchange(statements)).map(({ rows }) => rows);
  }

  override query(...args: unknown[]): never {
    const [first, values] = args;
    if (first instanceof Together) return this.readTogether(first.statements).then((rows) => ({ rows })) as never;
    if (typeof first === 'string' && Array.isArray(values)) {
      if (values.length > 0) return this.#exchange([{ text: first, values }]).then(onlyAnswer) as never;
      const held = this.#holdBegin(first);
      if (held) return held as never;
    }
    return super.query(...(args as [string])) as never;
  }

  /** What is answered without the server: the beginning of a transaction, and the end of one in which nothing was asked. */
  #holdBegin(text: string): Promise<unknown> | undefined {
    if (text === 'begin') {
      this.#isBeginning = true;
      return Promise.resolve({ command: 'BEGIN', rowCount: null, rows: [] });
    }
    if (!this.#isBeginning) return undefined;
    this.#isBeginning = false;
    if (text === 'commit' || text === 'rollback')
      return Promise.resolve({ command: text.toUpperCase(), rowCount: null, rows: [] });
    return super.query('begin').then(() => super.query(text));
  }

  async #exchange(statements: readonly Statement[]): Promise<readonly Answer[]> {
    const begin = this.#isBeginning ? [BEGIN] : [];
    this.#isBeginning = false;
    const exchange = new Exchange([...begin, ...statements], this.#known);
    super.query(exchange as never);
    try {
      return (await exchange.answers).slice(begin.length);
    } catch (error) {
      // Its own trace ends at the socket; this one leads to who asked.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    }
  }
}

const BEGIN: Statement = { text: 'begin', values: [] };

const onlyAnswer = ([answer]: readonly Answer[]) => answer;

/** Several statements in the place of one text. */
class Together {
  readonly statements: readonly Statement[];

  constructor(statements: readonly Statement[]) {
    this.statements = statements;
  }
}

/** By the executor of a whole database. A transaction and a single connection have executors of their own. */
const pools = new WeakMap<object, PostgresPool>();

/**
 * Sends statements that need nothing of each other's answers together, and returns the rows of each. Outside of a transaction the
 * pool itself lends the connection, which makes each call of the panel 2 to 3 % cheaper.
 */
export async function readTogether<const S extends readonly Statement[]>(
  db: Executor,
  statements: S,
): Promise<RowsOfEach<S>> {
  const pool = pools.get(db.getExecutor());
  if (pool) {
    const client = (await pool.connect()) as unknown as PreparingClient & pg.PoolClient;
    try {
      return (await client.readTogether(statements)) as never;
    } finally {
      client.release();
    }
  }
  const { rows } = await db
    .getExecutor()
    .provideConnection((connection) =>
      connection.executeQuery({ ...CompiledQuery.raw(''), sql: new Together(statements) as never }),
    );
  return rows as never;
}

export async function readRows<Row>(db: Executor, statement: Statement<Row>): Promise<Row[]> {
  const [rows] = await readTogether(db, [statement]);
  return rows as Row[];
}

export interface DatabaseOptions {
  readonly max?: number | undefined;
  readonly onError?: (error: Error) => void;
  /** A caller that gets no connection in this time fails and releases what it holds, so that a jam resolves itself. */
  readonly connectMs?: number | undefined;
  /** PostgreSQL ends a statement, and a transaction in which nothing happens, after this time; absent: never. */
  readonly statementMs?: number | undefined;
  /** The address is that of a PgBouncer in transaction mode: nothing is asked of a session, and it knows limits and planner itself. */
  readonly pooled?: boolean | undefined;
  /** Fails queries while the database is away, instead of letting them wait. */
  readonly watch?: DatabaseWatch | undefined;
}

/**
 * Indexes are made for a disk without a head that moves; Debian's PostgreSQL believes in one and reads whole tables for a search
 * (20,000 rows instead of 20). An `options` in the address wins.
 */
const PLANNER = '-c random_page_cost=1.1';

export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { statementMs, watch, pooled = false } = options;
  const limits = statementMs
    ? { statement_timeout: statementMs, idle_in_transaction_session_timeout: statementMs }
    : {};
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max ?? 20,
    connectionTimeoutMillis: options.connectMs ?? 10_000,
    ...(pooled ? { pooled } : { options: PLANNER, ...limits }),
    ...(watch ? { verify: refuseStandby } : {}),
    types: typeParsers,
    Client: PreparingClient as never,
    application_name: 'raha',
  });
  // An idle connection that breaks is not the caller's problem: the pool replaces it.
  pool.on('error', (error) => options.onError?.(error));
  // One that breaks in use fails its queries; an error event without a listener would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  if (watch) pool.on('connect', (client) => breakWhenAway(client, watch));
  const lent: PostgresPool = watch ? watchedPool(pool, watch) : pool;
  // Kysely ends only a pool that it has used: `onCreateConnection` says that it has.
  const onCreateConnection = async () => void pools.set(db.getExecutor(), lent);
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: lent, onCreateConnection }) });
  return db;
}

/** While the database is away nobody gets a connection, or waits for one. */
function watchedPool(pool: pg.Pool, watch: DatabaseWatch): PostgresPool {
  const connect = async (): Promise<pg.PoolClient> => {
    watch.require();
    const connected = pool.connect();
    // While there is an idle connection for each waiting caller, they get theirs before the database can go away.
    if (pool.waitingCount > 0 && pool.idleCount >= pool.waitingCount) return await connected;
    return await new Promise<pg.PoolClient>((resolve, reject) => {
      const forget = watch.onAway(() => {
        forget();
        reject(new DatabaseAway('The database went away.'));
        connected.then(
          (client) => client.release(true),
          () => undefined,
        );
      });
      connected.then(resolve, reject).finally(forget);
    });
  };
  return { options: pool.options, connect: connect as PostgresPool['connect'], end: () => pool.end() };
}

/** A server in recovery knows only what was so some time ago. The pool checks each new connection before it hands it out. */
function refuseStandby(client: pg.PoolClient, done: (error?: Error) => void): void {
  const { isStandby } = client as unknown as PreparingClient;
  done(isStandby ? new DatabaseAway('The database is recovering.') : undefined);
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

/** How many bytes this database has, and how many bytes of pages PostgreSQL keeps in its own memory. */
export async function readMemoryFacts(
  db: Executor,
): Promise<{ readonly databaseBytes: number; readonly bufferBytes: number }> {
  const { rows } = await sql<{ databaseBytes: number; bufferBytes: number }>`
    SELECT pg_database_size(current_database())::float8 AS "databaseBytes",
      (SELECT setting::float8 * 8192 FROM pg_settings WHERE name = 'shared_buffers') AS "bufferBytes"
  `.execute(db);
  return rows[0] as { databaseBytes: number; bufferBytes: number };
}

/** What PostgreSQL says of a session: the limit of a statement in ms (0: none), and what a page out of order costs beside the next one. */
export async function readSessionFacts(db: Executor): Promise<{ readonly limitMs: number; readonly pageCost: number }> {
  const { rows } = await sql<{ limitMs: number; pageCost: number }>`
    SELECT (SELECT setting::int FROM pg_settings WHERE name = 'statement_timeout') AS "limitMs",
      current_setting('random_page_cost')::float8 AS "pageCost"
  `.execute(db);
  return rows[0] as { limitMs: number; pageCost: number };
}

/** For statements that take as long as they have to: on one connection, PostgreSQL's limit is lifted meanwhile. */
export async function withoutTimeLimit<T>(db: Database, work: (connection: Database) => Promise<T>): Promise<T> {
  return await db.connection().execute(async (connection) => {
    await sql`SELECT set_config('statement_timeout', '0', false)`.execute(connection);
    try {
      return await work(connection);
    } finally {
      await sql`RESET statement_timeout`.execute(connection);
    }
  });
}

/**
 * SQLSTATEs that say something about the server and nothing about the query: a connection that broke (class 08), a server that stops,
 * starts or ends a session (57P…), a statement that took too long (57014), a transaction that may not write (25006), no connection left
 * (53300).
 */
const UNAVAILABLE = /^(08...|57P0.|57014|25006|53300)$/;
const BROKEN = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** Whether the database could not be used, so that the same call may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseAway) return true;
  if (error instanceof pg.DatabaseError) return UNAVAILABLE.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  // The socket's file of a PostgreSQL that is not running.
  if (BROKEN.has(code ?? '') || (code === 'ENOENT' && syscall === 'connect')) return true;
  return /Connection terminated|is not queryable|timeout exceeded when trying to connect/.test(error.message);
}

/** The SQLSTATE of a PostgreSQL error, or undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** The constraint that a PostgreSQL error names. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

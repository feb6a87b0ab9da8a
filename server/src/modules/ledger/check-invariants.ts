import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Database } from '../../platform/database.ts';
import { LAST_ID, type Part } from '../../platform/even-parts.ts';
import { firstIdOf } from '../../platform/random.ts';

export interface Violation {
  readonly invariant: string;
  /** At most ten offending rows. */
  readonly rows: readonly unknown[];
}

/** The time whose rows are checked; what is outside of it must be checked by another proof. */
export interface ProofTime {
  readonly since: Date;
  /** Not included. Absent: no end. */
  readonly until?: Date | undefined;
  /** The Jalali month that this time is, whose sums are checked if it is closed. */
  readonly month?: string | undefined;
  /** Of a month, whose state is checked with it; absent: of those who signed up in it. */
  readonly share?: Share;
}

/** Ids from one on and before another, of users and of configs. */
export interface Share {
  readonly users: Part;
  readonly configs: Part;
}

/**
 * Runs every invariant; an empty list means that all of them hold. Each is one statement and a transaction of its own, so that
 * a long proof keeps no old row versions alive and holds no lock. With `time`, invariants are only checked over the rows of that time.
 */
export async function checkInvariants(
  db: Database,
  files: readonly string[],
  time?: ProofTime,
): Promise<{ checked: string[]; violations: Violation[] }> {
  const read = await Promise.all(files.map(readInvariants));
  const isFew = time !== undefined && time.month === undefined;
  const violations = await withPlans(db, isFew, async (connection) => {
    const found: Violation[] = [];
    for (const { lists, invariants } of read) {
      const values = time && { ...valuesOf(time) };
      if (values && isFew) await readLists(connection, lists, values);
      for (const invariant of invariants) {
        const query = queryOf(invariant, time, values);
        if (query === undefined) continue;
        const { rows } = await sql.raw(limited(query)).execute(connection);
        if (rows.length > 0) found.push({ invariant: invariant.name, rows });
      }
    }
    return found;
  });
  return { checked: read.flatMap(({ invariants }) => invariants.map(({ name }) => name)), violations };
}

type Names = Readonly<Record<string, string>>;

/** Reads each list of ids once for all invariants of its file that name it. A list may name one before it. */
async function readLists(connection: Database, lists: Names, values: Record<string, string>): Promise<void> {
  for (const [name, query] of Object.entries(lists)) {
    const text = `SELECT array_agg(id) AS ids FROM (${replaceNames(query, values)}) list (id)`;
    const { rows } = await sql.raw<{ ids: string[] | null }>(text).execute(connection);
    // Within a query of its own, so that the planner does not estimate each id.
    values[name] = `(SELECT '{${rows[0]?.ids ?? ''}}'::uuid[])::uuid[]`;
  }
}

/** The name of an invariant without its sentence: L15. */
export function codeOf(invariant: string): string {
  return invariant.split(' ')[0] ?? invariant;
}

const MOST_ROWS = 10;

/**
 * At most ten rows of a query that is planned to return all of them. With a limit around it PostgreSQL would plan to find ten soon,
 * and look up row by row what it finds none of.
 */
function limited(query: string): string {
  return `WITH found AS MATERIALIZED (${query}) SELECT * FROM found LIMIT ${MOST_ROWS}`;
}

/**
 * In a month the form for months if there is one. Invariants without a form for a time are left out there: the proof of every
 * minute checks them whole.
 */
function queryOf(
  { whole, recent, month }: Invariant,
  time: ProofTime | undefined,
  values: Names = {},
): string | undefined {
  if (!time) return whole;
  const query = time.month === undefined ? (recent ?? whole) : (month ?? recent);
  return query === undefined ? undefined : replaceNames(query, values);
}

const FEW = {
  jit: 'off',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  max_parallel_workers_per_gather: '0',
};
const MANY = { jit: 'off', work_mem: '64MB' };

/**
 * On one connection, whose settings are taken back afterwards. Compiling a query takes longer than most of these. What is
 * new is found by index, whatever number of rows the planner expects, and before parallel workers would have started; a month is
 * sorted and joined as a whole, in memory that only this connection takes.
 */
async function withPlans<T>(db: Database, isFew: boolean, work: (connection: Database) => Promise<T>): Promise<T> {
  const settings = isFew ? FEW : MANY;
  return await db.connection().execute(async (connection) => {
    await sql`SELECT set_config(key, value, false) FROM jsonb_each_text(${JSON.stringify(settings)})`.execute(
      connection,
    );
    try {
      return await work(connection);
    } finally {
      for (const name of Object.keys(settings)) await sql.raw(`RESET ${name}`).execute(connection);
    }
  });
}

function valuesOf({ since, until, month, share }: ProofTime): Names {
  const id = (text: string) => `'${text}'::uuid`;
  const time: Part = { from: firstIdOf(since), end: until ? firstIdOf(until) : LAST_ID };
  const { users, configs } = share ?? { users: time, configs: time };
  return {
    transfer: id(time.from),
    end_transfer: id(time.end),
    first_user: id(users.from),
    end_user: id(users.end),
    first_config: id(configs.from),
    end_config: id(configs.end),
    time: `'${since.toISOString()}'::timestamptz`,
    end_time: until ? `'${until.toISOString()}'::timestamptz` : `'infinity'::timestamptz`,
    month: `'${month ?? ''}'`,
  };
}

interface Invariant {
  readonly name: string;
  readonly whole: string;
  readonly recent: string | undefined;
  readonly month: string | undefined;
}

async function readInvariants(file: string): Promise<{ lists: Names; invariants: Invariant[] }> {
  const [head = '', ...parts] = (await readFile(file, 'utf8')).split(/^-- name: /m);
  const { sets, lists } = readHead(head);
  const invariants = parts.map((part) => {
    const [name, text] = splitFirstLine(part);
    const [whole = '', ...forms] = text.split(/^(?=-- (?:recent|month)\b)/m);
    const form = (kind: string) => {
      const found = forms.find((one) => one.startsWith(`-- ${kind}`));
      return found && replaceNames(formOf(found, statement(whole)), sets);
    };
    return { name, whole: statement(whole), recent: form('recent'), month: form('month') };
  });
  return { lists, invariants };
}

/** The sets and the lists of a file, by name. Sets are put into lists. */
function readHead(head: string): { sets: Names; lists: Names } {
  const sets: Record<string, string> = {};
  const lists: Record<string, string> = {};
  for (const part of head.split(/^-- (?=(?:set|list): )/m).slice(1)) {
    const [title, query] = splitFirstLine(part);
    const [kind, name = ''] = title.split(': ');
    if (kind === 'set') sets[name] = statement(query);
    else lists[name] = replaceNames(statement(query), sets);
  }
  return { sets, lists };
}

/** After `-- recent`, a query; after `-- recent: condition`, that of the whole with this condition. */
function formOf(text: string, whole: string): string {
  const [head, query] = splitFirstLine(text);
  const condition = /^-- \w+: (.*)$/.exec(head)?.[1];
  return condition ? `SELECT * FROM (${whole}) whole WHERE ${condition}` : statement(query);
}

function splitFirstLine(text: string): [string, string] {
  const end = text.indexOf('\n');
  return [text.slice(0, end).trim(), text.slice(end)];
}

/** Sets may name each other. */
function replaceNames(query: string, values: Names): string {
  const replaced = query.replace(/(?<!:):([a-z_]+)\b/g, (text, name: string) => values[name] ?? text);
  return replaced === query ? query : replaceNames(replaced, values);
}

function statement(text: string): string {
  return text
    .replace(/^--.*$/gm, '')
    .trim()
    .replace(/;$/, '');
}

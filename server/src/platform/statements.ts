/// <reference path="./pg-utils.d.ts" />
import { createHash } from 'node:crypto';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely';
import type pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import { writeInstant } from './instants.ts';

/** A text and the values of its parameters, ready to be sent. `Row` is what it answers. */
export interface Statement<Row = unknown> {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly row?: Row;
}

/** What each of several statements answers. */
export type RowsOfEach<S extends readonly Statement[]> = {
  readonly [K in keyof S]: S[K] extends Statement<infer Row> ? Row[] : never;
};

const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * A statement whose text is made once, at its first use, and not by every request. `write` gets a stand-in for each parameter, which it
 * can only put into SQL: computing with one throws.
 */
export function prepare<P extends object, Row>(
  write: (parameters: P) => RawBuilder<Row>,
): (parameters: P) => Statement<Row> {
  let made: { readonly text: string; readonly names: readonly (keyof P)[] } | undefined;
  const make = () => {
    const standIns = new Map<symbol, keyof P>();
    const find = (name: string) => {
      const standIn = Symbol.for(name);
      standIns.set(standIn, name as keyof P);
      return standIn;
    };
    const { sql, parameters } = write(new Proxy({}, { get: (_, name) => find(String(name)) }) as P).compile(compiler);
    const used = [...new Set(parameters as symbol[])];
    const names = used.map((standIn) => {
      const name = standIns.get(standIn);
      if (name === undefined) throw new Error('A prepared statement contains a value of the request that made it.');
      return name;
    });
    const text = sql.replace(/\$(\d+)/g, (_, n) => `$${used.indexOf(parameters[Number(n) - 1] as symbol) + 1}`);
    return { text, names };
  };
  return (parameters) => {
    made ??= make();
    return { text: made.text, values: made.names.map((name) => parameters[name]) };
  };
}

/** What pg calls a result, as far as Kysely reads it. */
export interface Answer {
  readonly command: string | undefined;
  readonly rowCount: number | null;
  readonly rows: readonly unknown[];
}

type Parse = (text: string) => unknown;

interface Column {
  readonly name: string;
  readonly parse: Parse;
}

/** What pg's client keeps of a connection. */
interface Connection {
  readonly stream: { readonly writable: boolean; write(bytes: Buffer): void };
  readonly parsedStatements: Record<string, string>;
}

interface RowDescription {
  readonly fields: readonly {
    readonly name: string;
    readonly dataTypeID: number;
    readonly format: 'text' | 'binary';
  }[];
}

/**
 * Statements that are sent in one piece and answered in one piece: one write and one wake of the other side, whatever their number
 * (decision 116). The first that fails ends the rest. Outside of a transaction they are one, and each sees what was committed
 * before it began. A connection is told the text of a statement once, and tells its columns once.
 */
export class Exchange {
  readonly statements: readonly Statement[];
  readonly answers: Promise<readonly Answer[]>;
  readonly #names: readonly string[];
  readonly #values: readonly Values[];
  readonly #columns: Map<string, readonly Column[]>;
  readonly #types: pg.CustomTypesConfig;
  readonly #done: Answer[] = [];
  #resolve!: (answers: readonly Answer[]) => void;
  #reject!: (error: unknown) => void;
  #rows: unknown[] = [];
  #current: readonly Column[] | undefined;
  #unreadable: unknown;

  /** `columns`: what the connection has told so far, by name of the statement. */
  constructor(
    statements: readonly Statement[],
    connection: {
      readonly isNaming: boolean;
      readonly columns: Map<string, readonly Column[]>;
      readonly types: pg.CustomTypesConfig;
    },
  ) {
    this.statements = statements;
    this.#names = statements.map(({ text }) => (connection.isNaming ? nameOf(text) : ''));
    this.#values = statements.map(({ values }) => values.map(writeValue));
    this.#columns = connection.columns;
    this.#types = connection.types;
    this.answers = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  // From here on what pg's client calls, as it calls its own queries. It notes what was parsed by `name` and `text`.

  get name(): string {
    return this.#names[this.#done.length] ?? '';
  }

  get text(): string {
    return this.statements[this.#done.length]?.text ?? '';
  }

  submit(connection: Connection): null {
    const earlier = new Set<string>();
    const messages: Buffer[] = [];
    this.statements.forEach(({ text }, index) => {
      const name = this.#names[index] as string;
      const isNew = name === '' || !earlier.has(name);
      if (isNew && connection.parsedStatements[name] === undefined) messages.push(parseMessage(name, text));
      messages.push(bindMessage(name, this.#values[index] as Values));
      if (isNew && !this.#columns.has(name)) messages.push(DESCRIBE);
      messages.push(EXECUTE);
      earlier.add(name);
    });
    messages.push(SYNC);
    if (connection.stream.writable) connection.stream.write(Buffer.concat(messages));
    return null;
  }

  handleRowDescription({ fields }: RowDescription): void {
    const columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#types.getTypeParser(dataTypeID, 'text') as Parse,
    }));
    if (this.name !== '') this.#columns.set(this.name, columns);
    this.#current = columns;
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#current ??= this.#columns.get(this.name) ?? [];
    const columns = this.#current;
    const row: Record<string, unknown> = {};
    try {
      for (let index = 0; index < columns.length; index += 1) {
        const { name, parse } = columns[index] as Column;
        const text = fields[index] as string | null;
        row[name] = text === null ? null : parse(text);
      }
    } catch (error) {
      this.#unreadable ??= error;
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const words = text.split(' ');
    const count = words.length > 1 ? Number(words.at(-1)) : null;
    this.#complete({ command: words[0], rowCount: count, rows: this.#rows });
  }

  handleEmptyQuery(): void {
    this.#complete({ command: undefined, rowCount: null, rows: [] });
  }

  handleReadyForQuery(): void {
    if (this.#unreadable === undefined) this.#resolve(this.#done);
    else this.#reject(this.#unreadable);
  }

  handleError(error: unknown): void {
    this.#reject(error);
  }

  #complete(answer: Answer): void {
    // A statement without columns has described that, too.
    if (this.name !== '' && !this.#columns.has(this.name)) this.#columns.set(this.name, []);
    this.#done.push(answer);
    this.#rows = [];
    this.#current = undefined;
  }
}

/** Values as they travel: text, or bytes of a `bytea`. */
type Values = readonly (string | Buffer | null)[];

function writeValue(value: unknown): string | Buffer | null {
  if (typeof value === 'string') return value;
  return (value instanceof Date ? writeInstant(value) : undefined) ?? prepareValue(value);
}

// Messages of PostgreSQL's protocol, version 3.0 (documentation, section 54.7). Portal and type lists stay empty.

const EXECUTE = Buffer.from('E\0\0\0\x09\0\0\0\0\0', 'latin1');
/** Of the portal: the columns of its rows. */
const DESCRIBE = Buffer.from('D\0\0\0\x06P\0', 'latin1');
const SYNC = Buffer.from('S\0\0\0\x04', 'latin1');

function parseMessage(name: string, text: string): Buffer {
  const body = Buffer.from(`${name}\0${text}\0\0\0`);
  return Buffer.concat([head('P', body.length), body]);
}

function bindMessage(name: string, values: Values): Buffer {
  const lengths = values.map((value) => (value === null ? 0 : Buffer.byteLength(value)));
  const fixed = 1 + (name.length + 1) + 2 + 2 * values.length + 2 + 4 * values.length + 4;
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + lengths.reduce((sum, length) => sum + length, fixed));
  bytes.write('B', 'latin1');
  bytes.writeInt32BE(bytes.length - 1, 1);
  let at = HEAD_BYTES;
  bytes[at] = 0;
  at += 1 + bytes.write(name, at + 1, 'latin1');
  bytes[at] = 0;
  at = bytes.writeInt16BE(values.length, at + 1);
  for (const value of values) at = bytes.writeInt16BE(Buffer.isBuffer(value) ? 1 : 0, at);
  at = bytes.writeInt16BE(values.length, at);
  values.forEach((value, index) => {
    at = bytes.writeInt32BE(value === null ? -1 : (lengths[index] as number), at);
    if (typeof value === 'string') at += bytes.write(value, at);
    else if (value !== null) at += value.copy(bytes, at);
  });
  // One format for all columns: text.
  at = bytes.writeInt16BE(1, at);
  bytes.writeInt16BE(0, at);
  return bytes;
}

const HEAD_BYTES = 5;

function head(type: string, bodyBytes: number): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES, type);
  bytes.writeInt32BE(bodyBytes + 4, 1);
  return bytes;
}

const names = new Map<string, string>();

/** As PostgreSQL knows a text, of at most 63 bytes. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (!name) {
    name = createHash('sha1').update(text).digest('hex').slice(0, 24);
    names.set(text, name);
  }
  return name;
}

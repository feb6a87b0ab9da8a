import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { TestWorld } from './world.ts';

/**
 * Looks through a database, column by column and in every schema, for values that may not stand there in clear. A value is
 * found in any of the forms in which it could be read back: as it is, in other letter case, in base64 at any offset, in hex,
 * escaped; and short ones, which can be guessed, under a hash without a key.
 */
export interface Canary {
  /** What it is, e.g. "code by mail". */
  readonly what: string;
  readonly value: string;
}

/** A value in a row: `table` with its schema, `text` as PostgreSQL writes it. */
export interface StoredValue {
  readonly table: string;
  readonly column: string;
  readonly text: string;
}

export interface Sighting {
  readonly what: string;
  readonly column: string;
  readonly form: string;
  readonly text: string;
}

export async function dumpEverything({ deps: { db } }: Pick<TestWorld, 'deps'>): Promise<StoredValue[]> {
  const { rows: tables } = await sql<{ table: string }>`
    SELECT format('%I.%I', schemaname, tablename) AS "table" FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1
  `.execute(db);
  const values: StoredValue[] = [];
  for (const { table } of tables) {
    const { rows } = await sql<{ column: string; text: string }>`
      SELECT c.key AS column, c.value AS text FROM ${sql.raw(table)} r, jsonb_each_text(to_jsonb(r)) c
      WHERE c.value IS NOT NULL
    `.execute(db);
    // A table without a row is named too, so that the test can say which part of life it lacks.
    if (rows.length === 0) values.push({ table, column: '', text: '' });
    for (const row of rows) values.push({ table, ...row });
  }
  return values;
}

export function findCanaries(values: readonly StoredValue[], canaries: readonly Canary[]): Sighting[] {
  const forms = canaries.flatMap((canary) => formsOf(canary).map((form) => ({ ...form, what: canary.what })));
  return values.flatMap(({ table, column, text }) => {
    // Microseconds would be taken for codes.
    const plain = text.replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?/g, '');
    const lower = plain.toLowerCase();
    return forms
      .filter(({ pattern, isCaseless }) => isIn(isCaseless ? lower : plain, pattern))
      .map(({ what, form }) => ({ what, form, column: `${table}.${column}`, text: text.slice(0, 200) }));
  });
}

interface Form {
  readonly form: string;
  readonly pattern: string | RegExp;
  readonly isCaseless: boolean;
}

const isIn = (text: string, pattern: string | RegExp) =>
  typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text);

/** Shorter ones can be found by trying all of them, so that a hash without a key hides nothing. */
const GUESSABLE = 20;

function formsOf({ value }: Canary): Form[] {
  const bytes = Buffer.from(value);
  const isCode = /^\d{4,8}$/.test(value);
  const exact = (form: string, pattern: string | RegExp): Form => ({ form, pattern, isCaseless: false });
  const caseless = (form: string, pattern: string): Form => ({
    form,
    pattern: pattern.toLowerCase(),
    isCaseless: true,
  });
  if (isCode) return [exact('clear', new RegExp(`(?<![\\w.-])${value}(?![\\w-])`)), ...hashesOf(value)];
  return [
    caseless('clear', value),
    // Without separators, as people type codes.
    ...(/^[A-Z0-9]+(-[A-Z0-9]+)+$/i.test(value) ? [caseless('clear', value.replaceAll('-', ''))] : []),
    ...[encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]
      .filter((form) => form !== value)
      .map((form) => caseless('escaped', form)),
    caseless('hex', bytes.toString('hex')),
    ...[0, 1, 2].flatMap((offset) => {
      const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
      // Without the letters that depend on what stands before and after.
      const inner = text.slice(Math.ceil((offset * 8) / 6), text.length - (text.endsWith('=') ? 4 : 0));
      return inner.length < 8
        ? []
        : [exact('base64', inner), exact('base64url', inner.replaceAll('+', '-').replaceAll('/', '_'))];
    }),
    ...(value.length < GUESSABLE || value.includes('@') ? hashesOf(value) : []),
  ];
}

function hashesOf(value: string): Form[] {
  return ['md5', 'sha1', 'sha256', 'sha512'].flatMap((algorithm) => {
    const digest = createHash(algorithm).update(value).digest();
    return [
      { form: algorithm, pattern: digest.toString('hex'), isCaseless: true },
      { form: algorithm, pattern: digest.toString('base64url').slice(0, 20), isCaseless: false },
    ];
  });
}

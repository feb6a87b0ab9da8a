import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Database } from '../../platform/database.ts';
import { firstIdOf } from '../../platform/random.ts';

export interface Violation {
  readonly invariant: string;
  /** At most ten offending rows. */
  readonly rows: readonly unknown[];
}

/**
 * Runs every invariant in one snapshot; an empty list means that all of them hold. With `since`, invariants over the whole
 * history are only checked from then on; what is older must have been checked before.
 */
export async function checkInvariants(
  db: Database,
  files: readonly string[],
  since?: Date,
): Promise<{ checked: string[]; violations: Violation[] }> {
  const invariants = (await Promise.all(files.map(readInvariants))).flat();
  const violations: Violation[] = [];
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      for (const { name, whole, recent } of invariants) {
        const query = since && recent ? bind(recent, since) : whole;
        const { rows } = await sql.raw(`SELECT * FROM (${query}) found LIMIT 10`).execute(tx);
        if (rows.length > 0) violations.push({ invariant: name, rows });
      }
    });
  return { checked: invariants.map(({ name }) => name), violations };
}

function bind(query: string, since: Date): string {
  return query
    .replaceAll(':transfer', `'${firstIdOf(since)}'::uuid`)
    .replaceAll(':time', `'${since.toISOString()}'::timestamptz`);
}

interface Invariant {
  readonly name: string;
  readonly whole: string;
  readonly recent: string | undefined;
}

async function readInvariants(file: string): Promise<Invariant[]> {
  const text = await readFile(file, 'utf8');
  return text
    .split(/^-- name: /m)
    .slice(1)
    .map((part) => {
      const [name = '', ...lines] = part.split('\n');
      const [whole = '', recent] = lines.join('\n').split(/^-- recent$/m);
      return { name: name.trim(), whole: statement(whole), recent: recent && statement(recent) };
    });
}

function statement(text: string): string {
  return text.trim().replace(/;$/, '');
}

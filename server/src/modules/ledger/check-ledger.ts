import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Database } from '../../platform/database.ts';

export interface Violation {
  readonly invariant: string;
  /** At most ten offending rows. */
  readonly rows: readonly unknown[];
}

/** Runs every invariant in one snapshot; an empty list means that the ledger proves itself. */
export async function checkLedger(db: Database): Promise<{ checked: string[]; violations: Violation[] }> {
  const invariants = await readInvariants();
  const violations: Violation[] = [];
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      for (const { name, query } of invariants) {
        const { rows } = await sql.raw(`SELECT * FROM (${query}) found LIMIT 10`).execute(tx);
        if (rows.length > 0) violations.push({ invariant: name, rows });
      }
    });
  return { checked: invariants.map(({ name }) => name), violations };
}

async function readInvariants(): Promise<{ name: string; query: string }[]> {
  const text = await readFile(join(import.meta.dirname, 'invariants.sql'), 'utf8');
  return text
    .split(/^-- name: /m)
    .slice(1)
    .map((part) => {
      const [name = '', ...lines] = part.split('\n');
      return { name: name.trim(), query: lines.join('\n').trim().replace(/;$/, '') };
    });
}

import { sql } from 'kysely';
import { type Database, inTransaction } from './database.ts';
import type { Vault } from './sealed.ts';

/**
 * A column whose values a vault has sealed. Each module declares its own in `sealed-columns.ts`; `app/key-rotation.ts`
 * lists them, and a test finds every column of the schema that is named `…_sealed`.
 */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The column of the same table that the context is made of. */
  readonly subject: string;
  context(subject: string): string;
}

/** Few enough that nobody waits for their locks. */
const BATCH = 500;

/** Seals a batch of values again with the sealing key. Answers how many; zero when all of them are. */
export async function sealAgain(db: Database, vault: Vault, sealed: SealedColumn): Promise<number> {
  const { table, column, subject } = identifiers(sealed);
  return await inTransaction(db, async (tx) => {
    // Rows in use now come in the next round: this never waits, and so is in no deadlock.
    const { rows } = await sql<{ subject: string; value: string }>`
      SELECT ${subject}::text AS subject, ${column} AS value FROM ${table}
      WHERE NOT starts_with(${column}, ${vault.keys.prefix}) LIMIT ${BATCH} FOR NO KEY UPDATE SKIP LOCKED
    `.execute(tx);
    for (const row of rows) {
      const context = sealed.context(row.subject);
      const value = vault.seal(vault.open(row.value, context), context);
      await sql`
        UPDATE ${table} SET ${column} = ${value} WHERE ${subject}::text = ${row.subject} AND ${column} = ${row.value}
      `.execute(tx);
    }
    return rows.length;
  });
}

/** How many values are sealed with another key than the sealing one. */
export async function countOthers(db: Database, vault: Vault, sealed: SealedColumn): Promise<number> {
  const { table, column } = identifiers(sealed);
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM ${table} WHERE NOT starts_with(${column}, ${vault.keys.prefix})
  `.execute(db);
  return rows[0]?.count ?? 0;
}

function identifiers({ table, column, subject }: SealedColumn) {
  return { table: sql.table(table), column: sql.ref(column), subject: sql.ref(subject) };
}

import { type RawBuilder, sql } from 'kysely';
import type { Executor } from './database.ts';

/** Ids from one on, and before another. */
export interface Part {
  readonly from: string;
  readonly end: string;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Divides all ids, also those that come later, into so many parts that follow each other: with as many of the given ones in each, so that work
 * which goes through the parts takes about as long for each. `ids`: a query whose column is `id`.
 */
export async function divideEvenly(db: Executor, ids: RawBuilder<unknown>, parts: number): Promise<Part[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT DISTINCT ON (part) id FROM (SELECT id, ntile(${parts}::integer) OVER (ORDER BY id) AS part FROM (${ids}) i) divided
    WHERE part > 1 ORDER BY part, id
  `.execute(db);
  return partsFrom(
    rows.map(({ id }) => id),
    parts,
  );
}

/** The parts that begin at these ids, after a first one; where there are too few, empty ones at the end. */
export function partsFrom(begins: readonly string[], parts: number): Part[] {
  return Array.from({ length: parts }, (_, at) => ({
    from: at === 0 ? FIRST_ID : (begins[at - 1] ?? LAST_ID),
    end: begins[at] ?? LAST_ID,
  }));
}

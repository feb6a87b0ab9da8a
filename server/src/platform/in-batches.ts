import type { RawBuilder } from 'kysely';
import type { Executor } from './database.ts';

/** Short enough that nobody waits for the rows or the disk that one statement takes. */
const BATCH = 5_000;

/** Repeats a statement that changes or deletes at most so many rows, each time in a transaction of its own, until it finds fewer. */
export async function inBatches(db: Executor, statement: (limit: number) => RawBuilder<unknown>): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await statement(BATCH).execute(db);
    if (Number(numAffectedRows ?? 0n) < BATCH) return;
  }
}

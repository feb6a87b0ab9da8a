import type { Database, Tx } from '../src/platform/database.ts';

/** A proof wants a connection of its own, more than once; here it has that of the transaction which broke something. */
export function transactionAsDatabase(tx: Tx): Database {
  const database = {
    getExecutor: () => tx.getExecutor(),
    connection: () => ({ execute: (work: (inner: Database) => unknown) => work(database as unknown as Database) }),
  };
  return database as unknown as Database;
}

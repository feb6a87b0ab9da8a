import { join } from 'node:path';
import { checkInvariants, type ProofTime, type Violation } from '../modules/ledger/check-invariants.ts';
import { type Database, withoutTimeLimit } from '../platform/database.ts';

/** The invariants of each module that has some, lowest module first. */
const files = [
  '../modules/ledger/invariants.sql',
  '../modules/subscriptions/invariants.sql',
  '../modules/payments/invariants.sql',
  '../modules/settlements/invariants.sql',
  '../modules/gift-cards/invariants.sql',
  '../modules/metering/invariants.sql',
  '../modules/wallet/invariants.sql',
  '../modules/books/invariants.sql',
].map((path) => join(import.meta.dirname, path));

/** Checks the invariants of money and metering over everything, or over the rows of a time. */
export async function checkLedger(
  db: Database,
  time?: ProofTime,
): Promise<{ checked: string[]; violations: Violation[] }> {
  return await withoutTimeLimit(db, (connection) => checkInvariants(connection, files, time));
}

import { join } from 'node:path';
import { checkInvariants, type ProofTime, type Violation } from '../modules/ledger/check-invariants.ts';
import { type Database, withoutTimeLimit } from '../platform/database.ts';

/** The modules that have an `invariants.sql`, lowest first. */
const modules = ['ledger', 'subscriptions', 'payments', 'settlements', 'gift-cards', 'metering', 'wallet', 'books'];
const files = modules.map((name) => join(import.meta.dirname, `../modules/${name}/invariants.sql`));

/** Checks the invariants of money and metering over everything, or over the rows of a time. */
export async function checkLedger(
  db: Database,
  time?: ProofTime,
): Promise<{ checked: string[]; violations: Violation[] }> {
  return await withoutTimeLimit(db, (connection) => checkInvariants(connection, files, time));
}

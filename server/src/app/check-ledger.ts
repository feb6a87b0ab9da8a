import { join } from 'node:path';
import { checkInvariants, type Violation } from '../modules/ledger/check-invariants.ts';
import type { Database } from '../platform/database.ts';

/** The modules that have an `invariants.sql`, lowest first. */
const modules = ['ledger', 'subscriptions', 'payments', 'gift-cards', 'metering', 'wallet'];
const files = modules.map((name) => join(import.meta.dirname, `../modules/${name}/invariants.sql`));

/** Proves money and metering: all of it, or with `since` what is new, given that everything before was proved. */
export async function checkLedger(db: Database, since?: Date): Promise<{ checked: string[]; violations: Violation[] }> {
  return await checkInvariants(db, files, since);
}

import { join } from 'node:path';
import { checkInvariants, type Violation } from '../modules/ledger/check-invariants.ts';
import type { Database } from '../platform/database.ts';

/** The modules that have an `invariants.sql`, lowest first. */
const modules = ['ledger', 'subscriptions', 'payments', 'settlements', 'gift-cards', 'metering', 'wallet'];
const files = modules.map((name) => join(import.meta.dirname, `../modules/${name}/invariants.sql`));

/** Checks the invariants of money and metering over everything, or with `since` only over newer rows. */
export async function checkLedger(db: Database, since?: Date): Promise<{ checked: string[]; violations: Violation[] }> {
  return await checkInvariants(db, files, since);
}

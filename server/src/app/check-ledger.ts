import { join } from 'node:path';
import { userIdsBefore } from '../modules/accounts/users.ts';
import { checkInvariants, type ProofTime, type Share, type Violation } from '../modules/ledger/check-invariants.ts';
import type { ProvedMonth } from '../modules/ledger/proofs.ts';
import { configIdsBefore } from '../modules/metering/read-usage.ts';
import { type Database, withoutTimeLimit } from '../platform/database.ts';
import { divideEvenly, type Part } from '../platform/even-parts.ts';

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
  '../modules/bulk/invariants.sql',
].map((path) => join(import.meta.dirname, path));

/** Checks the invariants of money and metering over everything, or over the rows of a time. */
export async function checkLedger(
  db: Database,
  time?: ProofTime,
): Promise<{ checked: string[]; violations: Violation[] }> {
  return await withoutTimeLimit(db, (connection) => checkInvariants(connection, files, time));
}

/**
 * Gives each month its share of users and configs, whose state is proved with it: as many to each month, whenever they signed up. The shares
 * stay the same until the next month begins, because only what there was before the last one is counted; what is younger is the last one's.
 */
export async function shareOut(
  db: Database,
  months: readonly ProvedMonth[],
): Promise<(ProvedMonth & { share: Share })[]> {
  const before = months.at(-1)?.since ?? new Date(0);
  const users = await divideEvenly(db, userIdsBefore(before), months.length);
  const configs = await divideEvenly(db, configIdsBefore(before), months.length);
  return months.map((month, at) => ({ ...month, share: { users: users[at] as Part, configs: configs[at] as Part } }));
}

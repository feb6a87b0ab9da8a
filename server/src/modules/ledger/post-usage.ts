import type { Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { house } from './house.ts';
import { insertUsageTransfer } from './tables.ts';

/**
 * Books the usage of one report: one transfer for all users, from each lease account to revenue. Charges of zero move
 * nothing. Amounts are toman per user, positive.
 */
export async function postUsage(tx: Tx, charges: ReadonlyMap<string, bigint>, now: Date): Promise<void> {
  const entries = [...charges].filter(([, amount]) => amount > 0n);
  if (entries.length === 0) return;
  const id = newId(now);
  await insertUsageTransfer(tx, { id, at: now, revenueAccountId: house.usageRevenue }, entries);
}

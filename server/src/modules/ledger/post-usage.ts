import type { Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { house } from './house.ts';
import { insertUsageTransfer } from './tables.ts';

/**
 * Books usage: one transfer for all users, from the reserved part of each wallet to revenue, on `day` of the books. Charges of
 * zero move nothing. Amounts are toman per user, positive.
 */
export async function postUsage(
  tx: Tx,
  charges: ReadonlyMap<string, bigint>,
  { day, now }: { readonly day: string; readonly now: Date },
): Promise<void> {
  const entries = [...charges].filter(([, amount]) => amount > 0n);
  if (entries.length === 0) return;
  const id = newId(now);
  await insertUsageTransfer(tx, { id, at: now, day, revenueAccountId: house.usageRevenue }, entries);
}

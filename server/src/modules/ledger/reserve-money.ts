import type { Executor, Tx } from '../../platform/database.ts';
import { sumReserved, updateReserved } from './tables.ts';

/**
 * Reserves money in wallets that `lockAccounts` has locked, or releases it (negative): toman per user. The balance stays; what is
 * free changes. The database refuses to reserve more than there is.
 */
export async function reserveMoney(tx: Tx, amounts: ReadonlyMap<string, bigint>): Promise<void> {
  const changes = [...amounts].filter(([, amount]) => amount !== 0n);
  if (changes.length > 0) await updateReserved(tx, changes);
}

/** What all wallets together have reserved, in toman. */
export async function readReserved(db: Executor): Promise<bigint> {
  return await sumReserved(db);
}

import type { Executor, Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { insertUserAccounts, lockUserAccounts, selectUserAccounts } from './tables.ts';

/** A user's two accounts: free money, and money reserved in leases on VPN servers. */
export interface UserAccounts {
  readonly userId: string;
  readonly walletId: string;
  readonly leaseId: string;
  readonly walletToman: bigint;
  /** Reserved for bytes that have not passed: what is used but not booked yet is no longer the user's. */
  readonly leaseToman: bigint;
}

export async function openUserAccounts(tx: Tx, userId: string, now: Date): Promise<void> {
  await insertUserAccounts(tx, userId, newId(now), newId(now), now);
}

export async function getUserAccounts(db: Executor, userId: string): Promise<UserAccounts> {
  const found = toMap(await selectUserAccounts(db, [userId])).get(userId);
  if (!found) throw new Error(`user ${userId} has no ledger accounts`);
  return found;
}

/** The accounts of those of the people who have any, as they stand. */
export async function findUserAccounts(db: Executor, userIds: readonly string[]): Promise<Map<string, UserAccounts>> {
  return toMap(await selectUserAccounts(db, userIds));
}

/** Locks the accounts of the people until the transaction ends; reads true balances. */
export async function lockAccounts(tx: Tx, userIds: readonly string[]): Promise<Map<string, UserAccounts>> {
  return toMap(await lockUserAccounts(tx, userIds));
}

function toMap(rows: Awaited<ReturnType<typeof selectUserAccounts>>): Map<string, UserAccounts> {
  return new Map(
    rows.map((row) => [
      row.user_id,
      {
        userId: row.user_id,
        walletId: row.wallet_id,
        leaseId: row.lease_id,
        walletToman: row.wallet,
        leaseToman: row.lease,
      },
    ]),
  );
}

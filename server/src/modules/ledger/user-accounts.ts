import type { Executor, Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import {
  accountRows,
  insertUserAccount,
  lockUserAccounts,
  selectUserAccounts,
  type UserAccountRow,
  userAccounts,
} from './tables.ts';

export type { UserAccountRow };
export { accountRows, userAccounts };

/** A user's account: free money, and money reserved in leases on VPN servers. */
export interface UserAccounts {
  readonly userId: string;
  readonly walletId: string;
  readonly walletToman: bigint;
  /** Reserved for bytes that have not passed yet; excludes usage that is not booked yet. */
  readonly leaseToman: bigint;
}

export async function openUserAccounts(tx: Tx, userId: string, now: Date): Promise<void> {
  await insertUserAccount(tx, userId, newId(now), now);
}

export async function getUserAccounts(db: Executor, userId: string): Promise<UserAccounts> {
  const found = toMap(await selectUserAccounts(db, [userId])).get(userId);
  if (!found) throw new Error(`user ${userId} has no ledger accounts`);
  return found;
}

/** The accounts of these users, without a lock; a user without an account is left out. */
export async function findUserAccounts(db: Executor, userIds: readonly string[]): Promise<Map<string, UserAccounts>> {
  return toMap(await selectUserAccounts(db, userIds));
}

/** Locks the accounts of the users until the transaction ends, and reads their balances. */
export async function lockAccounts(tx: Tx, userIds: readonly string[]): Promise<Map<string, UserAccounts>> {
  return toMap(await lockUserAccounts(tx, userIds));
}

export function toAccounts(row: UserAccountRow): UserAccounts {
  return {
    userId: row.user_id,
    walletId: row.wallet_id,
    walletToman: row.wallet,
    leaseToman: row.lease,
  };
}

function toMap(rows: readonly UserAccountRow[]): Map<string, UserAccounts> {
  return new Map(rows.map((row) => [row.user_id, toAccounts(row)]));
}

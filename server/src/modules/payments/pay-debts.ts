import type { Tx } from '../../platform/database.ts';
import { house } from '../ledger/house.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { lockAccounts } from '../ledger/user-accounts.ts';
import { lockOwed, updateOwed } from './reversal-tables.ts';

/** Sets all debts of an account to nothing, and returns what they were; the caller books it. */
export async function giveUpDebts(tx: Tx, userId: string): Promise<bigint> {
  const debts = await lockOwed(tx, userId);
  for (const debt of debts) await updateOwed(tx, debt.payment_id, 0n);
  return debts.reduce((sum, debt) => sum + debt.owed_toman, 0n);
}

/** Pays the user's debts from a credit that was just booked, oldest debt first. */
export async function payDebts(
  tx: Tx,
  credit: { userId: string; sourceType: string; sourceId: string; amountToman: bigint },
  now: Date,
): Promise<void> {
  const { userId, sourceType, sourceId, amountToman } = credit;
  const debts = await lockOwed(tx, userId);
  if (debts.length === 0) return;
  const accounts = (await lockAccounts(tx, [userId])).get(userId);
  if (!accounts) throw new Error(`user ${userId} has no ledger accounts`);
  let left = amountToman < accounts.walletToman ? amountToman : accounts.walletToman;
  let paid = 0n;
  for (const debt of debts) {
    const part = debt.owed_toman < left ? debt.owed_toman : left;
    if (part === 0n) break;
    await updateOwed(tx, debt.payment_id, debt.owed_toman - part);
    left -= part;
    paid += part;
  }
  if (paid === 0n) return;
  const movements = [
    { accountId: accounts.walletId, amountToman: -paid },
    { accountId: house.chargeback, amountToman: paid },
  ];
  await postTransfer(tx, { kind: 'reversal', sourceType, sourceId, purpose: 'owed', movements }, now);
}

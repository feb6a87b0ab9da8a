import { limits } from '@raha/contract/limits.ts';
import { addDays } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import type { Notifier } from '../../platform/notifications.ts';
import type { Vault } from '../../platform/sealed.ts';
import { accountMarks } from '../accounts/account-marks.ts';
import { getUser, type User } from '../accounts/users.ts';
import { house } from '../ledger/house.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { lockAccounts } from '../ledger/user-accounts.ts';
import type { PaymentNotifications } from './notifications.ts';
import {
  deleteMarks,
  insertMarks,
  lockOwed,
  mayComeToOwe,
  selectDebtors,
  sumOwed,
  updateOwed,
} from './reversal-tables.ts';
import { decideDebtPayments } from './rules.ts';

export interface DebtDeps {
  readonly vault: Vault;
  readonly notifier: Notifier<PaymentNotifications>;
}

/** What a user owes after reversals, also those of an erased account of the same mailbox or phone number. */
export async function readOwed(db: Executor, { vault }: Pick<DebtDeps, 'vault'>, user: User): Promise<bigint> {
  return await sumOwed(db, user.id, accountMarks(vault, user));
}

/** What this account owes itself, which is what `giveUpDebts` gives up. */
export async function readOwnOwed(db: Executor, userId: string): Promise<bigint> {
  return await sumOwed(db, userId, []);
}

/**
 * Pays the user's debts from the wallet, oldest first, and says so. Every use case that credits a wallet calls it in its
 * transaction, after the credit and before leases are granted from it.
 */
export async function payDebts(
  tx: Tx,
  { vault, notifier }: DebtDeps,
  credit: { userId: string; sourceType: string; sourceId: string },
  now: Date,
): Promise<void> {
  const { userId, sourceType, sourceId } = credit;
  const debts = await lockOwed(tx, userId, accountMarks(vault, await getUser(tx, userId)));
  if (debts.length === 0) return;
  const accounts = (await lockAccounts(tx, [userId])).get(userId);
  if (!accounts) throw new Error(`user ${userId} has no ledger accounts`);
  const { paid, left, rest } = decideDebtPayments(debts, accounts.walletToman);
  if (paid === 0n) return;
  for (const { payment_id, owed_toman } of left) await updateOwed(tx, payment_id, owed_toman);
  const movements = [
    { accountId: accounts.walletId, amountToman: -paid },
    { accountId: house.chargeback, amountToman: paid },
  ];
  const cause = `${sourceType} ${sourceId}`;
  await postTransfer(tx, { kind: 'reversal', sourceType: 'debt', sourceId: cause, purpose: 'owed', movements }, now);
  const data = { amountToman: Number(paid), leftToman: Number(rest) };
  await notifier.notify(tx, [{ userId, cause, data, kind: 'debt_paid' }]);
}

/** Sets all debts of an account to nothing, and returns what they were; the caller books it. */
export async function giveUpDebts(tx: Tx, userId: string): Promise<bigint> {
  const debts = await lockOwed(tx, userId, []);
  for (const debt of debts) await updateOwed(tx, debt.payment_id, 0n);
  return debts.reduce((sum, debt) => sum + debt.owed_toman, 0n);
}

/** Accounts that owe something, erased ones too, the largest debt first. */
export const listDebtors = selectDebtors;

/** Before an account is erased: if it owes, or a bank may still reverse a payment, it is known again by its marks. */
export async function rememberDebtor(tx: Tx, vault: Vault, user: User, now: Date): Promise<void> {
  if (await mayComeToOwe(tx, user.id)) await insertMarks(tx, user.id, accountMarks(vault, user), now);
}

/** Forgets the marks of accounts that owe nothing a month after they were erased: no reversal comes that late. */
export async function forgetDebtors(db: Executor, now: Date): Promise<void> {
  await deleteMarks(db, addDays(now, -limits.keptDays.debtors));
}

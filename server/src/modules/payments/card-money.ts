import type { Executor, Tx } from '../../platform/database.ts';
import { lockAccounts } from '../ledger/user-accounts.ts';
import { insertCardPurchase, selectCardMoney, selectCardPurchases, upsertCardMoney } from './card-money-tables.ts';
import { type DebtDeps, payDebts } from './pay-debts.ts';
import { cardMoneyAfter, cardMoneyLeft } from './rules.ts';

/**
 * A balance is bank money, which can be refunded to the card it came from, and card money: gift cards, transfers and
 * corrections, which cannot. Spending takes card money last (decision 58).
 */
export interface Credit {
  readonly userId: string;
  readonly sourceType: string;
  readonly sourceId: string;
  readonly amountToman: bigint;
  /** How much of it is card money. */
  readonly cardToman: bigint;
}

/**
 * Every use case that credits a wallet calls this in its transaction, after the credit and before leases are granted
 * from it: it counts card money and pays debts.
 */
export async function settleCredit(tx: Tx, deps: DebtDeps, credit: Credit, now: Date): Promise<void> {
  if (credit.amountToman <= 0n) return;
  const before = (await balanceOf(tx, credit.userId)) - credit.amountToman;
  const known = await selectCardMoney(tx, credit.userId);
  const card = cardMoneyAfter(known, before, credit.cardToman);
  if (card !== known) await upsertCardMoney(tx, credit.userId, card);
  await payDebts(tx, deps, credit, now);
}

/** The card money in a balance. */
export async function readCardMoney(db: Executor, userId: string, balanceToman: bigint): Promise<bigint> {
  return cardMoneyLeft(await selectCardMoney(db, userId), balanceToman);
}

/**
 * Sells a plan and remembers how much card money paid for it; what is credited for plans that end brings back theirs.
 * `sell` returns the period, and the periods that ended with their credits.
 */
export async function sellWithOrigin<
  T extends { periodId: string; sale: { priceToman: bigint; ends: readonly { id: string; creditToman: bigint }[] } },
>(tx: Tx, deps: DebtDeps, userId: string, sell: () => Promise<T>, now: Date): Promise<T> {
  const before = await balanceOf(tx, userId);
  const sold = await sell();
  const returned = await cardPartOf(tx, sold.sale.ends);
  const card = cardMoneyAfter(await selectCardMoney(tx, userId), before, returned);
  const credited = sold.sale.ends.reduce((sum, end) => sum + end.creditToman, 0n);
  const left = cardMoneyLeft(card, before + credited - sold.sale.priceToman);
  await upsertCardMoney(tx, userId, left);
  if (card > left) await insertCardPurchase(tx, sold.periodId, card - left);
  await payDebts(tx, deps, { userId, sourceType: 'subscription', sourceId: sold.periodId }, now);
  return sold;
}

/** Of the credits for periods that ended, what their purchase took from card money comes back first. */
export async function cardPartOf(
  tx: Tx,
  ends: readonly { readonly id: string; readonly creditToman: bigint }[],
): Promise<bigint> {
  const paid = await selectCardPurchases(
    tx,
    ends.map(({ id }) => id),
  );
  return ends.reduce((sum, { id, creditToman }) => sum + cardMoneyLeft(paid.get(id) ?? 0n, creditToman), 0n);
}

async function balanceOf(tx: Tx, userId: string): Promise<bigint> {
  const accounts = (await lockAccounts(tx, [userId])).get(userId);
  if (!accounts) throw new Error(`user ${userId} has no ledger accounts`);
  return accounts.walletToman + accounts.leaseToman;
}

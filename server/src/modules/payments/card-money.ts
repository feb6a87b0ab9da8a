import type { Executor, Tx } from '../../platform/database.ts';
import { lockAccounts } from '../ledger/user-accounts.ts';
import { insertCardPurchase, selectCardMoney, selectCardPurchases, upsertCardMoney } from './card-money-tables.ts';
import { type DebtDeps, payDebts } from './pay-debts.ts';
import { addOrigins, noCardMoney, type Origin, originAfter, originLeft } from './rules.ts';

/**
 * A balance is bank money, which can be refunded to the card it came from, and card money: gift cards, transfers and
 * corrections, which cannot. Spending takes card money last (decision 58).
 */
export interface Credit {
  readonly userId: string;
  readonly sourceType: string;
  readonly sourceId: string;
  readonly amountToman: bigint;
  readonly origin: Origin;
}

/**
 * Every use case that credits a wallet calls this in its transaction, after the credit and before leases are granted
 * from it: it counts card money and pays debts.
 */
export async function settleCredit(tx: Tx, deps: DebtDeps, credit: Credit, now: Date): Promise<void> {
  if (credit.amountToman <= 0n) return;
  const before = (await balanceOf(tx, credit.userId)) - credit.amountToman;
  const known = await selectCardMoney(tx, credit.userId);
  const after = originAfter(known, before, credit.origin);
  if (!isSame(after, known)) await upsertCardMoney(tx, credit.userId, after);
  await payDebts(tx, deps, credit, now);
}

/** The card money in a balance. */
export async function readOrigin(db: Executor, userId: string, balanceToman: bigint): Promise<Origin> {
  return originLeft(await selectCardMoney(db, userId), balanceToman);
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
  const known = originAfter(await selectCardMoney(tx, userId), before, await originOf(tx, sold.sale.ends));
  const credited = sold.sale.ends.reduce((sum, end) => sum + end.creditToman, 0n);
  const left = originLeft(known, before + credited - sold.sale.priceToman);
  await upsertCardMoney(tx, userId, left);
  const [cardToman, boundToman] = [known.cardToman - left.cardToman, known.boundToman - left.boundToman];
  if (cardToman > 0n) await insertCardPurchase(tx, sold.periodId, { cardToman, boundToman });
  await payDebts(tx, deps, { userId, sourceType: 'subscription', sourceId: sold.periodId }, now);
  return sold;
}

/** Of the credits for periods that ended, what their purchase took from card money comes back first. */
export async function originOf(
  tx: Tx,
  ends: readonly { readonly id: string; readonly creditToman: bigint }[],
): Promise<Origin> {
  const paid = await selectCardPurchases(
    tx,
    ends.map(({ id }) => id),
  );
  return ends
    .map(({ id, creditToman }) => originLeft(paid.get(id) ?? noCardMoney, creditToman))
    .reduce(addOrigins, noCardMoney);
}

function isSame(a: Origin, b: Origin): boolean {
  return a.cardToman === b.cardToman && a.boundToman === b.boundToman;
}

async function balanceOf(tx: Tx, userId: string): Promise<bigint> {
  const accounts = (await lockAccounts(tx, [userId])).get(userId);
  if (!accounts) throw new Error(`user ${userId} has no ledger accounts`);
  return accounts.walletToman + accounts.leaseToman;
}

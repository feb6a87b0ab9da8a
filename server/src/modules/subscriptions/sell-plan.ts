import type { Clock } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { lockAccounts, type UserAccounts } from '../ledger/user-accounts.ts';
import { bookSale, endPeriod } from './book-plan.ts';
import { creditOf, decidePurchase, decideRenewal, type Sale, type SaleDecision } from './rules.ts';
import { insertPeriod, lockOpenPeriods, type PeriodRow, type PlanRow, selectOwnPeriod, selectPlan } from './tables.ts';

/** What is bought: a plan, or a renewal of the user's own period. */
export type Order = { readonly planId: string } | { readonly renewalOf: string };

/** Who buys. */
export interface Buyer {
  readonly id: string;
  /** The end of the trial, while usage is free: a plan begins after it. */
  readonly freeUntil: Date | undefined;
  /** What a GB costs without a plan, in thousandths of a toman; undefined while there is no exchange rate. */
  readonly perGbMilliToman: bigint | undefined;
}

export interface Offer {
  readonly plan: PlanRow;
  readonly sale: Sale;
}

/**
 * What an order would cost now and when it would start, given the user's running and future periods. Writes nothing.
 * Refuses the same as `sellPlan`.
 */
export async function quotePlan(
  db: Executor,
  buyer: Buyer,
  order: Order,
  open: readonly PeriodRow[],
  now: Date,
): Promise<Offer> {
  return await decide(db, buyer, order, open, now);
}

/**
 * Sells a plan in a transaction that has locked the user: ends the periods it replaces, credits what is left of them,
 * and takes the price from the wallet. Refuses `plan_not_found`, `plan_running`, `plan_renewed`, `plan_other_running`,
 * `insufficient_balance`, and `plan_price_changed` if it would cost more than the user agreed to (`expectedDueToman`).
 */
export async function sellPlan(
  tx: Tx,
  deps: { clock: Clock },
  request: { buyer: Buyer; order: Order; paidWith: 'wallet' | 'gift_card'; expectedDueToman: number | undefined },
): Promise<Offer & { periodId: string }> {
  const now = deps.clock.now();
  const { buyer, order, expectedDueToman } = request;
  const accounts = await accountsOf(tx, buyer.id);
  const offer = await decide(tx, buyer, order, await lockOpenPeriods(tx, [buyer.id], now), now);
  const due = dueOf(offer.sale);
  if (expectedDueToman !== undefined && due > BigInt(expectedDueToman)) {
    throw new Refusal('plan_price_changed', { details: { due: Number(due) } });
  }
  for (const end of offer.sale.ends) await endPeriod(tx, accounts.walletId, end, now);
  const periodId = newId(now);
  await insertPeriod(tx, { id: periodId, userId: buyer.id, paidWith: request.paidWith, ...offer }, now);
  await bookSale(tx, accounts.walletId, { id: periodId, priceToman: offer.sale.priceToman }, now);
  return { ...offer, periodId };
}

/** Ends a user's own period now and credits the rest of it to the wallet. Refuses `not_found`, `plan_over`. */
export async function cancelPeriod(
  tx: Tx,
  deps: { clock: Clock },
  request: { userId: string; periodId: string; perGbMilliToman: bigint | undefined },
): Promise<{ creditToman: bigint }> {
  const now = deps.clock.now();
  const accounts = await accountsOf(tx, request.userId);
  const open = await lockOpenPeriods(tx, [request.userId], now);
  const period = open.find(({ id }) => id === request.periodId);
  if (!period) {
    const over = await selectOwnPeriod(tx, request.userId, request.periodId);
    throw new Refusal(over ? 'plan_over' : 'not_found');
  }
  const end = {
    id: period.id,
    reason: 'cancelled' as const,
    creditToman: creditOf(period, now, request.perGbMilliToman),
  };
  await endPeriod(tx, accounts.walletId, end, now);
  return { creditToman: end.creditToman };
}

/** Toman taken from the wallet; negative if more is credited than charged. */
export function dueOf(sale: Pick<Sale, 'priceToman' | 'creditToman'>): bigint {
  return sale.priceToman - sale.creditToman;
}

async function decide(db: Executor, buyer: Buyer, order: Order, open: readonly PeriodRow[], now: Date): Promise<Offer> {
  const userId = buyer.id;
  const again = 'renewalOf' in order ? await selectOwnPeriod(db, userId, order.renewalOf) : undefined;
  if ('renewalOf' in order && !again) throw new Refusal('not_found');
  const plan = await selectPlan(db, 'planId' in order ? order.planId : (again?.planId ?? ''));
  if (!plan?.isOn) throw new Refusal('plan_not_found');
  const decision = (again ? decideRenewal : decidePurchase)(plan, open, now, buyer);
  if (decision.kind !== 'sale') throw new Refusal(refusals[decision.kind]);
  return { plan, sale: decision.sale };
}

const refusals = {
  running: 'plan_running',
  renewed: 'plan_renewed',
  other: 'plan_other_running',
} as const satisfies Record<Exclude<SaleDecision['kind'], 'sale'>, string>;

async function accountsOf(tx: Tx, userId: string): Promise<UserAccounts> {
  const accounts = (await lockAccounts(tx, [userId])).get(userId);
  if (!accounts) throw new Error(`user ${userId} has no ledger accounts`);
  return accounts;
}

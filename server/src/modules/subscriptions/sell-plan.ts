import type { Clock } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { lockAccounts, type UserAccounts } from '../ledger/user-accounts.ts';
import { bookSale, endPeriod } from './book-plan.ts';
import { isSameOffer, sentenceOfTerms } from './plan-change.ts';
import { holdPlan, type PlanRow, selectPlan, selectVersion } from './plan-tables.ts';
import { creditOf, decidePurchase, decideRenewal, type Sale, type SaleDecision } from './rules.ts';
import { insertPeriod, lockOpenPeriods, type PeriodRow, selectOwnPeriod } from './tables.ts';

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
  return await decide(db, buyer, { order, planId: await planOf(db, buyer.id, order) }, open, now);
}

/** What the buyer was shown; undefined: an earlier client does not say. */
export interface Agreed {
  readonly expectedDueToman: number | undefined;
  readonly seenVersion: string | undefined;
}

/**
 * Sells a plan in a transaction that has locked the user: ends the periods it replaces, credits what is left of them,
 * and takes the price from the wallet. The terms are those of the version that is sold at this moment. Refuses `plan_not_found`,
 * `plan_running`, `plan_renewed`, `plan_other_running`, `insufficient_balance`, `plan_changed` if the terms are not those of the version
 * that the buyer saw, and `plan_price_changed` if it would cost more than they agreed to (`expectedDueToman`).
 */
export async function sellPlan(
  tx: Tx,
  deps: { clock: Clock },
  request: { buyer: Buyer; order: Order; paidWith: 'wallet' | 'gift_card' } & Agreed,
): Promise<Offer & { periodId: string }> {
  const { buyer, order, expectedDueToman, seenVersion } = request;
  const accounts = await accountsOf(tx, buyer.id);
  const planId = await planOf(tx, buyer.id, order);
  await holdPlan(tx, planId);
  // After the plan is held: no change of it can be made to hold before this moment any more.
  const now = deps.clock.now();
  const offer = await decide(tx, buyer, { order, planId }, await lockOpenPeriods(tx, [buyer.id], now), now);
  const due = dueOf(offer.sale);
  if (seenVersion !== undefined) await refuseOther(tx, offer.plan, seenVersion);
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

async function decide(
  db: Executor,
  buyer: Buyer,
  { order, planId }: { readonly order: Order; readonly planId: string },
  open: readonly PeriodRow[],
  now: Date,
): Promise<Offer> {
  const plan = await selectPlan(db, planId, now);
  if (!plan?.isOn) throw new Refusal('plan_not_found');
  const decision = ('renewalOf' in order ? decideRenewal : decidePurchase)(plan, open, now, buyer);
  if (decision.kind !== 'sale') throw new Refusal(refusals[decision.kind]);
  return { plan, sale: decision.sale };
}

async function planOf(db: Executor, userId: string, order: Order): Promise<string> {
  if ('planId' in order) return order.planId;
  const again = await selectOwnPeriod(db, userId, order.renewalOf);
  if (!again) throw new Refusal('not_found');
  return again.planId;
}

/** Another version on the same terms is what was seen. */
async function refuseOther(db: Executor, plan: PlanRow, seenVersion: string): Promise<void> {
  if (plan.versionId === seenVersion) return;
  const seen = await selectVersion(db, seenVersion);
  if (seen?.planId !== plan.id || !isSameOffer(seen, plan))
    throw new Refusal('plan_changed', { details: { terms: sentenceOfTerms(plan) } });
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

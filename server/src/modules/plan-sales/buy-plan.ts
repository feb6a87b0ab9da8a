import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction, type Tx } from '../../platform/database.ts';
import {
  claimKey,
  type IdempotentRequest,
  releaseKey,
  runIdempotently,
  storeAnswer,
} from '../../platform/idempotency.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Notifier } from '../../platform/notifications.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { accountChanged } from '../accounts/signals.ts';
import { getUser, isInTrial, lockUser, type User } from '../accounts/users.ts';
import type { ExchangeRateSource } from '../currency/exchange-rate.ts';
import type { GiftCardNotifications } from '../gift-cards/notifications.ts';
import { currentRate, redeemInTransaction } from '../gift-cards/redeem-card.ts';
import { issueDocument, issueDocuments } from '../invoices/issue-document.ts';
import { fundsAdded } from '../ledger/jobs.ts';
import type { LockBalance } from '../ledger/locked-balance.ts';
import { balanceChanged } from '../ledger/signals.ts';
import { originOf, sellWithOrigin, settleCredit } from '../payments/card-money.ts';
import type { PaymentNotifications } from '../payments/notifications.ts';
import { usualPrice } from '../pricing/price.ts';
import { requireActivated, requireActive } from '../sessions/caller.ts';
import { type Buyer, cancelPeriod, dueOf, type Offer, type Order, sellPlan } from '../subscriptions/sell-plan.ts';

export interface SaleDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly exchangeRate: ExchangeRateSource;
  readonly jobs: Jobs;
  readonly bus: Bus;
  readonly notifier: Notifier<GiftCardNotifications> & Notifier<PaymentNotifications>;
  readonly lockBalance: LockBalance;
}

interface Purchase {
  readonly userId: string;
  readonly order: Order;
  readonly giftCode: string | undefined;
  readonly seenRateToman: number | undefined;
  readonly expectedDueToman: number | undefined;
  /** The version of the plan that the buyer saw. */
  readonly seenVersion?: string | undefined;
  readonly idempotent: IdempotentRequest | undefined;
}

export interface Bought {
  readonly periodId: string;
  readonly dueToman: number;
}

/**
 * Buys or renews a plan from the wallet, or with a gift card: the card is redeemed into the wallet, which activates the
 * account, and the plan is paid from there. All of it is one transaction, so that a refused purchase does not use up the
 * card. Refuses what redeeming and `sellPlan` refuse, and `activation_required` without a card.
 */
export async function buyPlan(deps: SaleDeps, request: Purchase): Promise<Bought> {
  return await runIdempotently(deps.db, request.idempotent, async () => await buy(deps, request));
}

async function buy(deps: SaleDeps, request: Purchase): Promise<Bought> {
  const { userId, giftCode, idempotent } = request;
  const rateToman = giftCode === undefined ? undefined : await currentRate(deps, request.seenRateToman);
  const outcome = await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now();
    const earlier = await claimKey<Bought>(tx, idempotent, now);
    if (earlier) return earlier;
    const user = await lockUser(tx, userId);
    const balance = await deps.lockBalance(tx, userId);
    if (giftCode === undefined || rateToman === undefined) requireActivated(user);
    else {
      requireActive(user);
      const redeemed = await redeemInTransaction(tx, deps, { userId, code: giftCode, rateToman }, now);
      // Commits, because the attempt with a wrong code must be counted; nothing else was done.
      if (!redeemed) return await giveBack(tx, idempotent);
    }
    const paidWith = giftCode === undefined ? 'wallet' : 'gift_card';
    // All of it: what lies in leases counts as unused in a plan that ends, and the new plan pays from now on.
    // Read again: until its meters were locked, a report could end the trial.
    const buyer = await buyerOf(tx, deps, await getUser(tx, user.id), now);
    const sell = () => sellPlan(tx, deps, { ...request, seenVersion: request.seenVersion, buyer, paidWith });
    const sold = await balance.spend('all', () => sellWithOrigin(tx, deps, userId, sell, now));
    await tell(tx, deps, userId);
    const bought = { periodId: sold.periodId, dueToman: Number(dueOf(sold.sale)) };
    await storeAnswer(tx, idempotent, bought);
    await invoice(tx, userId, sold, now);
    return bought;
  });
  if (!outcome) throw new Refusal('gift_card_invalid');
  return outcome;
}

export async function buyerOf(
  db: Executor,
  { exchangeRate }: Pick<SaleDeps, 'exchangeRate'>,
  user: User,
  now: Date,
): Promise<Buyer> {
  const freeUntil = isInTrial(user, now) ? (user.trial_ends_at ?? undefined) : undefined;
  return { id: user.id, freeUntil, perGbMilliToman: await usualPrice(db, exchangeRate, now) };
}

/** Ends a subscription now and credits its remaining value. Refuses `not_found`, `plan_over`. */
export async function cancelPlan(
  deps: SaleDeps,
  request: { userId: string; periodId: string; idempotent: IdempotentRequest | undefined },
): Promise<{ creditedToman: number }> {
  return await inTransaction(deps.db, async (tx) => {
    const earlier = await claimKey<{ creditedToman: number }>(tx, request.idempotent, deps.clock.now());
    if (earlier) return earlier;
    requireActive(await lockUser(tx, request.userId));
    const perGbMilliToman = await usualPrice(tx, deps.exchangeRate, deps.clock.now());
    const balance = await deps.lockBalance(tx, request.userId);
    const { creditToman } = await balance.spend('all', async () => {
      const ended = await cancelPeriod(tx, deps, { ...request, perGbMilliToman });
      const { userId, periodId } = request;
      const origin = await originOf(tx, [{ id: periodId, creditToman: ended.creditToman }]);
      const credit = {
        userId,
        sourceType: 'cancellation',
        sourceId: periodId,
        amountToman: ended.creditToman,
        origin,
      };
      await settleCredit(tx, deps, credit, deps.clock.now());
      return ended;
    });
    await tell(tx, deps, request.userId);
    const answer = { creditedToman: Number(creditToman) };
    await storeAnswer(tx, request.idempotent, answer);
    await issueDocument(tx, creditNote(request.userId, { id: request.periodId, creditToman }), deps.clock.now());
    return answer;
  });
}

/** Credit notes for the plans that end, and the invoice of the new one: the last thing in the transaction. */
async function invoice(tx: Tx, userId: string, sold: Offer & { periodId: string }, now: Date): Promise<void> {
  const { plan, sale, periodId: sourceId } = sold;
  const subject = { nameFa: plan.nameFa, nameEn: plan.nameEn };
  const credits = sale.ends.map((end) => creditNote(userId, end));
  const bought = { kind: 'plan', sourceId, userId, amountToman: sale.priceToman, subject } as const;
  await issueDocuments(tx, [...credits, bought], now);
}

function creditNote(userId: string, { id, creditToman }: { readonly id: string; readonly creditToman: bigint }) {
  const corrects = { kind: 'plan', sourceId: id } as const;
  return { kind: 'plan_credit', sourceId: id, userId, amountToman: creditToman, corrects } as const;
}

async function giveBack(tx: Tx, idempotent: IdempotentRequest | undefined): Promise<undefined> {
  if (idempotent) await releaseKey(tx, idempotent);
}

/** Configs whose quota was exceeded get leases from the new plan or the credited money. */
async function tell(tx: Tx, deps: SaleDeps, userId: string): Promise<void> {
  await deps.jobs.send(tx, fundsAdded, { userId });
  await deps.bus.announce(tx, balanceChanged, { userId });
  await deps.bus.announce(tx, accountChanged, { userId });
}

import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import type { subscriptions } from '@raha/contract/public/subscriptions.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { idempotentRequestOf } from '../../platform/idempotency.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { User } from '../accounts/users.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';
import { requireActive, type SignedInCaller } from '../sessions/caller.ts';
import { listOpenPeriods, listPeriods, listPlans } from '../subscriptions/plans.ts';
import { decideAdvance } from '../subscriptions/rules.ts';
import { dueOf, type Offer, type Order, quotePlan } from '../subscriptions/sell-plan.ts';
import { type Bought, buyerOf, buyPlan, cancelPlan, type SaleDeps } from './buy-plan.ts';
import { describePeriods, describePlan, withoutLeases } from './describe-subscription.ts';

/** The list stays short for any user; the history is paged. */
const LIST_SIZE = 100;

export function subscriptionRoutes(deps: SaleDeps): Handlers<typeof subscriptions, SignedInCaller, unknown> {
  const list = async (userId: string, page: { number: number; size: number }, locale: Locale) => {
    const { periods, total } = await listPeriods(deps.db, userId, page);
    return { subscriptions: await describePeriods(deps, periods, locale, deps.clock.now()), total };
  };
  const balanceOf = async (userId: string) => {
    const accounts = await getUserAccounts(deps.db, userId);
    return toWire(accounts.walletToman + accounts.leaseToman);
  };
  const answer = async (userId: string, bought: Bought, locale: Locale) => {
    const all = await list(userId, { number: 1, size: LIST_SIZE }, locale);
    const subscription = all.subscriptions.find(({ id }) => id === bought.periodId);
    if (!subscription) throw new Error('the subscription just bought is missing');
    return { success: true as const, data: { subscription, due: bought.dueToman, balance: await balanceOf(userId) } };
  };
  return {
    async listSubscriptions({ caller, locale }) {
      const userId = requireActive(caller.user).id;
      const now = deps.clock.now();
      const all = await list(userId, { number: 1, size: LIST_SIZE }, locale);
      const { current } = decideAdvance(await listOpenPeriods(deps.db, userId, now), now);
      const activeSubscription = all.subscriptions.find(({ id }) => id === current?.id) ?? null;
      return { success: true, data: { subscriptions: all.subscriptions, activeSubscription } };
    },
    async listPlans({ caller, locale }) {
      requireActive(caller.user);
      const plans = (await listPlans(deps.db, deps.clock.now())).filter((plan) => plan.isOn);
      return { success: true, data: { plans: plans.map((plan) => describePlan(plan, locale)) } };
    },
    async quoteSubscription({ caller, query, locale }) {
      const user = requireActive(caller.user);
      const userId = user.id;
      const now = deps.clock.now();
      const { plan, sale } = await quoteFor(deps, user, orderOf(query), now);
      return {
        success: true,
        data: {
          kind: sale.kind,
          plan: describePlan(plan, locale),
          price: toWire(sale.priceToman),
          credit: toWire(sale.creditToman),
          due: toWire(dueOf(sale)),
          wallet: await balanceOf(userId),
          startDate: sale.startsAt.toISOString(),
          endDate: sale.endsAt.toISOString(),
        },
      };
    },
    async subscriptionHistory({ caller, query, locale }) {
      const page = { number: query.page, size: query.per_page };
      const { subscriptions, total } = await list(requireActive(caller.user).id, page, locale);
      const total_pages = Math.max(1, Math.ceil(total / query.per_page));
      return { success: true, data: { subscriptions, pagination: { page: query.page, total_pages, total } } };
    },
    async purchaseSubscription({ caller, body, request, locale }) {
      const userId = requireActive(caller.user).id;
      const bought = await buyPlan(deps, {
        userId,
        order: { planId: body.plan_id },
        idempotent: idempotentRequestOf(request, userId, body),
        ...paymentOf(body),
      });
      return await answer(userId, bought, locale);
    },
    async renewSubscription({ caller, params, body, request, locale }) {
      const userId = requireActive(caller.user).id;
      const bought = await buyPlan(deps, {
        userId,
        order: { renewalOf: params.id },
        idempotent: idempotentRequestOf(request, userId, { ...body, id: params.id }),
        ...paymentOf(body),
      });
      return await answer(userId, bought, locale);
    },
    async cancelSubscription({ caller, params, request }) {
      const userId = requireActive(caller.user).id;
      const idempotent = idempotentRequestOf(request, userId, params);
      const { creditedToman } = await cancelPlan(deps, { userId, periodId: params.id, idempotent });
      return { success: true, data: { credited: creditedToman, balance: await balanceOf(userId) } };
    },
  };
}

async function quoteFor(deps: SaleDeps, user: User, order: Order, now: Date): Promise<Offer> {
  const open = await withoutLeases(deps.db, await listOpenPeriods(deps.db, user.id, now));
  return await quotePlan(deps.db, await buyerOf(deps.db, deps, user, now), order, open, now);
}

function orderOf(query: { plan_id?: string | undefined; renewal_of?: string | undefined }): Order {
  if (query.plan_id !== undefined && query.renewal_of === undefined) return { planId: query.plan_id };
  if (query.renewal_of !== undefined && query.plan_id === undefined) return { renewalOf: query.renewal_of };
  throw new Refusal('invalid_input', { fields: { plan_id: 'required' } });
}

interface Payment {
  readonly payment_method: 'wallet' | 'gift_card';
  readonly gift_card_code?: string | undefined;
  readonly current_price?: number | undefined;
  readonly expected_due?: number | undefined;
  readonly expected_version?: string | undefined;
}

function paymentOf(body: Payment | undefined) {
  const withCard = body?.payment_method === 'gift_card';
  if (withCard && body.gift_card_code === undefined) {
    throw new Refusal('invalid_input', { fields: { gift_card_code: 'gift_required' } });
  }
  return {
    giftCode: withCard ? body.gift_card_code : undefined,
    seenRateToman: body?.current_price,
    expectedDueToman: body?.expected_due,
    seenVersion: body?.expected_version,
  };
}

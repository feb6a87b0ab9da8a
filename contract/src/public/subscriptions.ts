import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { bytes, id, idParams, instant, pagination, paging, toman, wrapped } from '../shapes.ts';
import { giftCode } from './gift-cards.ts';

/** Plans, and the periods of them that users have bought. */

const planId = z.string('required').check(z.regex(/^[a-z][a-z0-9-]{0,30}$/, 'invalid'));

export const plan = z.object({
  id: z.string(),
  /** The terms below, as they are sold now; `expected_version` of a purchase names it. */
  version: z.optional(id),
  name: z.string(),
  price: toman,
  originalPrice: z.nullable(toman),
  /** Days. */
  duration: z.int(),
  /** Bytes; null: unlimited. */
  trafficLimit: z.nullable(bytes),
  maxDevices: z.int(),
  /** Mbit/s of each device, in each direction; null: no limit. Absent: the server is of before. */
  maxMbit: z.optional(z.nullable(z.int())),
  isPopular: z.boolean(),
  features: z.array(z.string()),
});
export type Plan = z.output<typeof plan>;

export const subscriptionStates = ['scheduled', 'active', 'used_up', 'expired', 'cancelled', 'replaced'] as const;

export const subscription = z.object({
  id,
  /** The plan as it was agreed. */
  plan: z.object({
    id: z.string(),
    name: z.string(),
    traffic_limit: z.nullable(bytes),
    max_devices: z.int(),
    /** Mbit/s of each device, in each direction; null: no limit. Absent: the server is of before. */
    max_mbit: z.optional(z.nullable(z.int())),
    duration: z.int(),
  }),
  status: z.enum(subscriptionStates),
  type: z.literal('limited'),
  isTrial: z.literal(false),
  startDate: instant,
  endDate: instant,
  price: toman,
  traffic_used: bytes,
  /** Whole days and a begun one; 0 when it is over. */
  daysRemaining: z.int(),
  /** Seven days or fewer remain and nothing follows. */
  isExpiring: z.boolean(),
  /** The credit to the wallet if it were cancelled now. */
  refundable: toman,
  /** The credit when it ended early. */
  credited: toman,
});
export type Subscription = z.output<typeof subscription>;

export const saleKinds = ['purchase', 'upgrade', 'renewal'] as const;

/** Stated before paying. */
export const quote = z.object({
  kind: z.enum(saleKinds),
  plan,
  price: toman,
  /** The unused part of the plan that ends. */
  credit: toman,
  /** The amount taken from the wallet: price less credit; negative when the credit is larger. */
  due: toman,
  /** Free money in the wallet. */
  wallet: toman,
  startDate: instant,
  endDate: instant,
});
export type Quote = z.output<typeof quote>;

const payment = {
  payment_method: z._default(z.enum(['wallet', 'gift_card'], 'invalid'), 'wallet'),
  /** Redeemed first, with payment_method gift_card; its value goes to the wallet, and the plan is paid from there. */
  gift_card_code: z.optional(giftCode),
  /** The dollar rate the user saw; as for redeeming. */
  current_price: z.optional(z.number().check(z.gte(0))),
  subscription_type: z.optional(z.enum(['limited', 'usage_based'])),
  /** The `due` of the quote: more than that is never taken. */
  expected_due: z.optional(z.int()),
  /** The `version` of the plan that was shown: a plan that is sold on other terms by now is not bought. */
  expected_version: z.optional(z.uuid('invalid')),
};

const bought = wrapped(z.object({ subscription, due: toman, balance: toman }));

export const subscriptions = {
  listSubscriptions: defineEndpoint({
    method: 'GET',
    path: '/user/subscriptions',
    caller: 'user',
    summary: 'What the signed-in user has bought and what runs',
    response: wrapped(
      z.object({
        subscriptions: z.array(subscription),
        /** The plan that gives traffic now. Without one usage is charged per GB. */
        activeSubscription: z.nullable(subscription),
      }),
    ),
  }),
  listPlans: defineEndpoint({
    method: 'GET',
    path: '/user/subscriptions/plans',
    caller: 'user',
    summary: 'The plans that are sold',
    response: wrapped(z.object({ plans: z.array(plan) })),
  }),
  quoteSubscription: defineEndpoint({
    method: 'GET',
    path: '/user/subscriptions/quote',
    caller: 'user',
    summary: 'What buying a plan, or renewing a subscription, would take from the wallet now',
    query: z.object({ plan_id: z.optional(planId), renewal_of: z.optional(z.uuid('invalid')) }),
    response: wrapped(quote),
  }),
  subscriptionHistory: defineEndpoint({
    method: 'GET',
    path: '/user/subscriptions/history',
    caller: 'user',
    summary: 'Every subscription of the signed-in user, newest first',
    query: paging,
    response: wrapped(z.object({ subscriptions: z.array(subscription), pagination })),
  }),
  purchaseSubscription: defineEndpoint({
    method: 'POST',
    path: '/user/subscriptions/purchase',
    caller: 'user',
    summary:
      'Buy a plan; another one that runs ends, and what is left of it is credited. Takes an Idempotency-Key header',
    body: z.strictObject({ plan_id: planId, ...payment }),
    response: bought,
  }),
  renewSubscription: defineEndpoint({
    method: 'POST',
    path: '/user/subscriptions/{id}/renew',
    caller: 'user',
    summary: 'The same plan again, from the end of this one. Takes an Idempotency-Key header',
    params: idParams,
    body: z.optional(z.strictObject(payment)),
    response: bought,
  }),
  cancelSubscription: defineEndpoint({
    method: 'POST',
    path: '/user/subscriptions/{id}/cancel',
    caller: 'user',
    summary: 'End a subscription now; what is left of it comes back to the wallet. Takes an Idempotency-Key header',
    params: idParams,
    response: wrapped(z.object({ credited: toman, balance: toman })),
  }),
};

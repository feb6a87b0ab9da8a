import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { id, idParams, instant, wrapped } from '../shapes.ts';

/** The stores that sell gift cards, and the way there and back. */

const storeParams = z.object({ store: z.string().check(z.regex(/^[a-z0-9-]{1,40}$/)) });

export const store = z.object({
  slug: z.string(),
  name: z.string(),
  description: z.string(),
  /** True for the built-in test store, which takes no money. */
  test: z.boolean(),
});
export type Store = z.output<typeof store>;

const user = {
  /** Of the signed-in user; anybody else's is refused. */
  user_id: z.optional(z.string().check(z.maxLength(100, 'invalid'))),
  user_email: z.optional(z.string().check(z.maxLength(254, 'invalid'))),
  /** Below /user on this site; the activation page when absent. */
  return_url: z.optional(z.string().check(z.maxLength(500, 'too_long'))),
};

const way = z.object({
  success: z.literal(true),
  /** Signed, good once, for ten minutes. */
  redirect_url: z.string(),
  redirect_id: id,
});

/** The outcome of a visit to a store. */
export const redirectStates = ['open', 'expired', 'paid', 'redeemed'] as const;

export const stores = {
  listStores: defineEndpoint({
    method: 'GET',
    path: '/giftcards/stores',
    caller: 'user',
    summary: 'The stores that sell gift cards',
    response: wrapped(z.object({ stores: z.array(store) })),
  }),
  getStoreUrl: defineEndpoint({
    method: 'GET',
    path: '/giftcards/stores/{store}/url',
    caller: 'user',
    summary: 'The address of a store for the signed-in user; within the cool-down the one given last',
    params: storeParams,
    query: z.object(user),
    response: way,
  }),
  redirectToStore: defineEndpoint({
    method: 'POST',
    path: '/giftcards/redirect/{store}',
    caller: 'user',
    summary: 'Start a visit to a store. Refused with retry_after within ten seconds of the last one to the same store',
    params: storeParams,
    body: z.optional(
      z.strictObject({
        ...user,
        /** A name the client gives the request: sending it again is the same visit. */
        request_id: z.optional(z.string().check(z.minLength(8, 'invalid'), z.maxLength(100, 'invalid'))),
        timestamp: z.optional(z.number()),
      }),
    ),
    response: way,
  }),
  getStoreRedirect: defineEndpoint({
    method: 'GET',
    path: '/user/giftcard/redirect/{id}',
    caller: 'user',
    summary: 'What became of a visit to a store, with the code once the store has said that it was bought',
    params: idParams,
    response: wrapped(
      z.object({
        id,
        store: z.string(),
        status: z.enum(redirectStates),
        /** Until it is redeemed. */
        gift_code: z.nullable(z.string()),
        /** While the visit is open. */
        redirect_url: z.nullable(z.string()),
        created_at: instant,
      }),
    ),
  }),
  storeWebhook: defineEndpoint({
    method: 'POST',
    path: '/giftcards/webhooks/{store}',
    caller: 'public',
    summary:
      'A store says that a card was bought (Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature)',
    params: storeParams,
    body: z.object({
      type: z.string().check(z.maxLength(100)),
      data: z.object({
        /** The `ref` of the redirect. */
        ref: z.string().check(z.maxLength(100)),
        order_id: z.string().check(z.maxLength(100)),
        gift_code: z.string().check(z.maxLength(100)),
      }),
    }),
    response: z.object({ success: z.literal(true) }),
  }),
};

import * as z from 'zod/mini';
import { limits } from '../limits.ts';
import { done, id, idParams, instant, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { reason } from './staff.ts';

/**
 * Whether a second member decides about what the caller changes of prices; null: nobody has to. `hours`: after so many the caller may
 * approve it; null: somebody else may.
 */
export const second = z.nullable(z.object({ hours: z.nullable(z.int()) }));

/**
 * The price of a gigabyte, in US cents, as rows that hold from a moment on and never change. At each moment one of them is in force;
 * at most one is planned.
 */
export const priceVersion = z.object({
  id,
  usd_cents_per_gb: z.int(),
  from: instant,
  state: z.enum(['planned', 'in_force', 'over', 'cancelled']),
  /** The member’s address; null: at the command line, or before prices were kept. */
  by: z.nullable(z.string()),
  reason: z.nullable(z.string()),
  created_at: instant,
  cancelled_at: z.nullable(instant),
  cancelled_by: z.nullable(z.string()),
});
export type PriceVersion = z.output<typeof priceVersion>;

export const prices = z.object({
  usd_cents_per_gb: z.int(),
  /** Newest first. */
  versions: z.array(priceVersion),
  /** What a change has to have seen: the newest version that was not cancelled; null: there is none. */
  seen: z.nullable(id),
  /** Toman for a dollar; null: there is no rate now. */
  rate: z.nullable(z.number()),
  second,
});
export type Prices = z.output<typeof prices>;

export const priceCalls = {
  listPrices: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/prices',
    caller: 'staff',
    may: 'prices.read',
    proof: 'none',
    reason: 'none',
    summary: 'What a gigabyte costs, what is planned, and what it cost before, newest first',
    response: wrapped(prices),
  }),
  changePrice: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/prices',
    caller: 'staff',
    may: 'prices.propose',
    proof: 'money',
    reason: 'required',
    summary:
      'Change the price of a gigabyte, at once or from a moment on, or propose it to a second member; what was bought or reserved keeps its own',
    body: z.strictObject({
      usd_cents_per_gb: z
        .int('invalid')
        .check(z.gte(0, 'too_small'), z.lte(limits.price.mostUsdCentsPerGb, 'too_large')),
      /** Without it: at once. */
      from: z.optional(instant),
      /** `seen` of the prices by which it was decided: what another member changed meanwhile is not overwritten. */
      seen: z.nullable(id),
      reason,
    }),
    /** The id of the version, or of the proposal; of the latter `from` is null if it is to hold as soon as it is approved. */
    response: wrapped(z.object({ outcome: z.enum(['done', 'proposed']), id, from: z.nullable(instant) })),
  }),
  cancelPrice: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/prices/{id}/cancel',
    caller: 'staff',
    may: 'prices.manage',
    proof: 'recent',
    reason: 'required',
    summary: 'Cancel a planned price before it comes into force',
    params: idParams,
    body: z.strictObject({ reason }),
    response: done,
  }),
};

import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { instant, toman } from '../shapes.ts';

/** Where a rate comes from: the operator's word, the market's median, or the stand-in of a fresh machine. */
export const rateOrigins = ['operator', 'market', 'test'] as const;

const current = {
  success: z.literal(true),
  /** Toman per US dollar; null while there is no current rate. */
  rate: z.nullable(toman),
  /** When the rate was taken; null with it. */
  timestamp: z.nullable(instant),
  source: z.nullable(z.enum(rateOrigins)),
  /** Shown by screens, marked as not current, while `rate` is null. */
  fallback: z.object({
    activation: z.literal(limits.exchangeRate.activationFallbackToman),
    other: z.literal(limits.exchangeRate.otherFallbackToman),
  }),
};

/** The result of one source in the last reading of the market. */
export const sourceOutcomes = ['used', 'outlier', 'stale', 'out_of_band', 'failed'] as const;

export const currency = {
  getUsdRate: defineEndpoint({
    method: 'GET',
    path: '/currency/usd-rate',
    caller: 'public',
    summary: 'Toman per US dollar. All calls of this group are also found below /api/currency',
    response: z.object(current),
  }),
  refreshUsdRate: defineEndpoint({
    method: 'GET',
    path: '/currency/refresh-usd-rate',
    caller: 'public',
    summary: 'Toman per US dollar, asked again from its sources when it is due',
    response: z.object(current),
  }),
  convertCurrency: defineEndpoint({
    method: 'POST',
    path: '/currency/convert',
    caller: 'public',
    summary: 'An amount of US dollars in toman, rounded down; refused while there is no rate',
    body: z.strictObject({
      amount: z
        .number('amount_invalid')
        .check(z.gte(0, 'amount_invalid'), z.lte(limits.exchangeRate.convertMaxUsd, 'invalid')),
    }),
    response: z.object({
      success: z.literal(true),
      /** US dollars, as asked. */
      amount: z.number(),
      rate: toman,
      converted: toman,
      timestamp: instant,
    }),
  }),
  getRateCacheInfo: defineEndpoint({
    method: 'GET',
    path: '/currency/cache-info',
    caller: 'public',
    summary: 'How old the rate is, when it is read again, and what its sources said',
    response: z.object({
      ...current,
      /** Seconds since the rate was taken. */
      age: z.nullable(z.int()),
      /** The last reading of the market, successful or not, and the next one; null if no source is configured. */
      last_read: z.nullable(instant),
      next_read: z.nullable(instant),
      sources: z.array(
        z.object({
          name: z.string(),
          /** Toman per dollar as that source has it; null when it did not answer. */
          rate: z.nullable(toman),
          outcome: z.enum(sourceOutcomes),
        }),
      ),
    }),
  }),
};

import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { toman } from '../shapes.ts';
import { rateOrigins } from './currency.ts';
import { plan } from './subscriptions.ts';

/** The public settings of the operator. */
export const site = {
  getSite: defineEndpoint({
    method: 'GET',
    path: '/site',
    caller: 'public',
    summary: 'Brand, support address and price per GB as the operator set them',
    response: z.object({
      success: z.literal(true),
      data: z.object({
        brand: z.string(),
        supportEmail: z.string(),
        /** US cents per GB (10⁹ bytes). */
        usdCentsPerGb: z.int(),
        /** Free days, free traffic in them in gigabytes of 10⁹ bytes, and whether both count only after activation. */
        trialDays: z.object({
          passwordless: z.int(),
          password: z.int(),
          gb: z.number(),
          requiresActivation: z.boolean(),
        }),
      }),
    }),
  }),
  getPrices: defineEndpoint({
    method: 'GET',
    path: '/site/prices',
    caller: 'public',
    summary: 'What the service costs: per GB, and the plans that are sold',
    response: z.object({
      success: z.literal(true),
      data: z.object({
        usdCentsPerGb: z.int(),
        /** At the rate of this moment; null while there is none. */
        tomanPerGb: z.nullable(toman),
        /** Where that rate comes from. */
        rateSource: z.nullable(z.enum(rateOrigins)),
        plans: z.array(plan),
      }),
    }),
  }),
};

import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';

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
};

import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

/** US cents of gift cards that members together may issue within 30 days without a second one; 0: none. */
export const cardsAlone = defineSetting(
  'approvals.cardsUsdCents',
  z.int().check(z.gte(0), z.lte(1_000_000_000)),
  5_000,
);

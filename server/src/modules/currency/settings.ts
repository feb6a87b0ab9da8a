import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

const toman = z.int().check(z.gte(1), z.lte(100_000_000));

/** Market readings outside this band are not accepted as an exchange rate. */
export const minExchangeRate = defineSetting('rate.minToman', toman, 20_000);
export const maxExchangeRate = defineSetting('rate.maxToman', toman, 5_000_000);

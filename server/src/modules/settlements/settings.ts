import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

/** Days after which a payment should be in a bank's settlement files; then it is listed as missing. */
export const settlementGraceDays = defineSetting('settlements.graceDays', z.int().check(z.gte(1), z.lte(30)), 3);

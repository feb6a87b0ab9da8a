import { limits } from '@raha/contract/limits.ts';
import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

export const usdCentsPerGb = defineSetting(
  'price.usdCentsPerGb',
  z.int().check(z.gte(0), z.lte(100_000)),
  limits.price.usdCentsPerGb,
);

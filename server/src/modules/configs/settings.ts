import { limits } from '@raha/contract/limits.ts';
import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

export const configsPerUser = defineSetting(
  'configs.perUser',
  z.int().check(z.gte(1), z.lte(1000)),
  limits.config.perUser,
);

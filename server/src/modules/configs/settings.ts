import { limits } from '@raha/contract/limits.ts';
import * as z from 'zod/mini';
import { defineFlag } from '../../platform/flags.ts';
import { defineSetting } from '../../platform/settings.ts';

export const configsPerUser = defineSetting(
  'configs.perUser',
  z.int().check(z.gte(1), z.lte(1000)),
  limits.config.perUser,
);

/** Whether a user is offered OpenConnect with the configs of OpenVPN that they make (decision 127); what was offered stays with a config. */
export const openconnectFlag = defineFlag('openconnect', { percent: 100, owner: 'admin', until: '2027-05-31' });

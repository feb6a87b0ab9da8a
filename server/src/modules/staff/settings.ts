import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

/** Hours after which a member who is alone may decide what they proposed themselves. */
export const aloneHours = defineSetting('approvals.aloneHours', z.int().check(z.gte(1), z.lte(168)), 24);

/** Hours for which a proposal stays open; longer than the delay. */
export const proposalHours = defineSetting('approvals.openHours', z.int().check(z.gte(2), z.lte(720)), 72);

/** Whether one member changes prices and plans without a second one. */
export const pricesAlone = defineSetting('approvals.pricesAlone', z.boolean(), false);

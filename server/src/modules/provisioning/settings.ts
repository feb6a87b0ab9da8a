import { limits } from '@raha/contract/limits.ts';
import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

/** A host that looks like an IPv4 address must be one, or no URL can contain it (WHATWG URL, "ends in a number"). */
const hostName = z.string().check(
  z.regex(/^[a-z0-9.-]{1,253}$/),
  z.refine((host) => URL.canParse(`https://${host}`)),
);

/**
 * Banks' hosts in the walled garden, in addition to the panel and the gateways' own: reachable when the quota is
 * exceeded.
 */
export const reachableHosts = defineSetting('cutOff.reachable', z.array(hostName).check(z.maxLength(40)), [
  ...limits.walledGarden.bankHosts,
]);

import { limits } from '@raha/contract/limits.ts';
import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

/** The fastest link of a node: a node that claims more bytes than this carries gets no leases for them. */
export const nodeLinkGbitPerSecond = defineSetting('nodes.linkGbitPerSecond', z.int().check(z.gte(1), z.lte(1000)), 10);

/**
 * UDP ports at which nodes accept WireGuard beside its own. 443 is left to what may look like a website, and 500, 4500 and 1194 are
 * other protocols' (a node leaves out what one of its programs uses).
 */
export const nodeWireguardPorts = defineSetting(
  'nodes.wireguardPorts',
  z.array(z.int().check(z.gte(1), z.lte(65_535))).check(z.maxLength(limits.node.maxWireguardPorts)),
  [53, 123, 8443, 25_000],
);

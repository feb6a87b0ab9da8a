import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { id, wrapped } from '../shapes.ts';

/** How the internet sees the caller. Derived from the request and from databases on the server; nothing is stored. */
export const networkStatus = z.object({
  /** The caller's own address; null behind one of our servers. */
  realIp: z.nullable(z.string()),
  /** The server's address, which the internet sees instead; null when unknown or not behind one of our servers. */
  vpnIp: z.nullable(z.string()),
  /** True when the request came from one of our servers. */
  isProtected: z.boolean(),
  location: z.object({
    /** ISO 3166-1 alpha-2; null if no database has the address. */
    country: z.nullable(z.string()),
    city: z.nullable(z.string()),
  }),
  /** The operator of the network, as named in the routing tables. */
  isp: z.nullable(z.string()),
  /** Our server in between, if known. */
  server: z.nullable(z.object({ id, name: z.string() })),
});
export type NetworkStatus = z.output<typeof networkStatus>;

export const network = {
  getNetworkStatus: defineEndpoint({
    method: 'GET',
    path: '/network/status',
    aliases: ['/connection/network-status'],
    caller: 'user',
    summary:
      'Address, place and provider of the caller, and whether one of our servers stands in front; nothing is stored',
    response: wrapped(networkStatus),
  }),
};

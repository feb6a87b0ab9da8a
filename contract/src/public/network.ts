import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { id, wrapped } from '../shapes.ts';

/** How the internet sees whoever asks. Made from the request itself and databases on the server; nothing is kept of it. */
export const networkStatus = z.object({
  /** The own address; null while a server stands in front of it. */
  realIp: z.nullable(z.string()),
  /** The server's address, by which the internet knows a protected user; null when it is not known or none stands in front. */
  vpnIp: z.nullable(z.string()),
  /** True when the request came out of one of our servers. */
  isProtected: z.boolean(),
  location: z.object({
    /** ISO 3166-1 alpha-2; null where no database knows. */
    country: z.nullable(z.string()),
    city: z.nullable(z.string()),
  }),
  /** The network's operator, as the routing tables name it. */
  isp: z.nullable(z.string()),
  /** The server in front, if it is known. */
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
      'Address, place and provider of whoever asks, and whether one of our servers stands in front; nothing is stored',
    response: wrapped(networkStatus),
  }),
};

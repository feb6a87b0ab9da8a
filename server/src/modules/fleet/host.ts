import { isIP } from 'node:net';

/** Letters, digits and inner hyphens (RFC 1123, section 2.1), at most 63 bytes. */
const label = '(?!-)[a-z0-9-]{1,63}(?<!-)';

/** The last label is not a number: a host that ends in one must be an IPv4 address (WHATWG URL, "ends in a number"). */
const hostName = new RegExp(`^(?:${label}\\.)*(?!(?:\\d+|0x[0-9a-f]*)$)${label}$`);

/**
 * Reads a host that clients can dial, in lower case: an address without a zone, or a host name. Undefined if it is
 * neither.
 */
export function readHost(text: string): string | undefined {
  const host = text.toLowerCase();
  const isAddress = isIP(host) !== 0 && !host.includes('%');
  return isAddress || (host.length <= 253 && hostName.test(host)) ? host : undefined;
}

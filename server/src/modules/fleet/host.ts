import { isIP } from 'node:net';

/** Of letters, digits and inner hyphens (RFC 1123, section 2.1), at most 63 bytes. */
const label = '(?!-)[a-z0-9-]{1,63}(?<!-)';

/** The last label is no number: what ends in one is an IPv4 address or nothing (WHATWG URL, "ends in a number"). */
const hostName = new RegExp(`^(?:${label}\\.)*(?!(?:\\d+|0x[0-9a-f]*)$)${label}$`);

/** What clients can dial, in lower case: an address without a zone, or a host name. Undefined when it is neither. */
export function readHost(text: string): string | undefined {
  const host = text.toLowerCase();
  const isAddress = isIP(host) !== 0 && !host.includes('%');
  return isAddress || (host.length <= 253 && hostName.test(host)) ? host : undefined;
}

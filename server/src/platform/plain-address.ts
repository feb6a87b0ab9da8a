/** Turns an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2) into the IPv4 address. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, '');
}

/** An IPv4 address that came over an IPv6 socket (RFC 4291, section 2.5.5.2) is an IPv4 address. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, '');
}

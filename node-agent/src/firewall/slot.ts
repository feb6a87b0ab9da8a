import { isIPv4, isIPv6 } from 'node:net';

/**
 * In the proxy's network: the host parts of the engine's own address, from which it asks for names, and of the node's end of the link.
 * They are above every slot (`limits.node.addressesPerNode`).
 */
export const ENGINE_HOST = '0.0.255.254';
export const ENGINE_GATEWAY_HOST = '0.0.255.253';

/**
 * A config's slot on its node: the low 16 bits that its two inner addresses share (`10.64.1.2` and `fd72:…::102` are slot
 * 258). The firewall keeps quota and counters per slot, so both families use one lease. Null when the addresses do not
 * belong together: such a config is not served, because one of its addresses would go unmetered.
 */
export function slotOf(address4: string, address6: string): number | null {
  if (!isIPv4(address4) || !isIPv6(address6)) return null;
  const slot = lowBits4(address4);
  return slot === lowBits6(address6) && slot > 0 ? slot : null;
}

/** The slot to which one inner address belongs, by its low 16 bits alone. Whose it is has to be compared as a whole. */
export function slotOfAddress(address: string): number {
  return isIPv4(address) ? lowBits4(address) : lowBits6(address);
}

function lowBits4(address: string): number {
  const [, , high, low] = address.split('.').map(Number) as [number, number, number, number];
  return high * 256 + low;
}

function lowBits6(address: string): number {
  const last = address.slice(address.lastIndexOf(':') + 1);
  if (last.includes('.')) return lowBits4(last);
  return last === '' ? 0 : Number.parseInt(last, 16);
}

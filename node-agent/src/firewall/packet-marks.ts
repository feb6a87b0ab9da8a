import { endianness } from 'node:os';
import type { Shell } from '../platform/shell.ts';

/** Converts a slot to the packet mark that stands for it in the sets, and back: both directions are the same function. */
export type MarkOrder = (slotOrMark: number) => number;

/**
 * Of two protocols, not the other: if nft reads that the packet is IPv4, it lists the rest as `ip saddr & 0.0.255.255`, which it does not
 * accept itself, and `nft list ruleset` could not be loaded again.
 */
export const MARK_RULES = {
  up4: 'meta nfproto != ipv6 meta mark set @nh,96,32 & 0xffff',
  up6: 'meta nfproto != ipv4 meta mark set @nh,160,32 & 0xffff',
  down4: 'meta nfproto != ipv6 meta mark set @nh,128,32 & 0xffff',
  down6: 'meta nfproto != ipv4 meta mark set @nh,288,32 & 0xffff',
} as const;

/**
 * Addresses have network byte order, marks the machine's. Some versions of nft convert between them and some (1.0.6) do
 * not, so the netlink program that the installed nft compiles is inspected.
 */
export async function findMarkOrder(shell: Shell): Promise<MarkOrder> {
  const rules = Object.values(MARK_RULES).map((rule) => `add rule inet raha_probe probe ${rule}\n`);
  const script = ['add table inet raha_probe\n', 'add chain inet raha_probe probe\n', ...rules].join('');
  const program = await shell.run('nft', ['-c', '--debug=netlink', '-f', '-'], { input: script });
  const conversions = program.split('byteorder reg').length - 1;
  if (conversions !== 0 && conversions !== rules.length) throw new Error('this nft writes marks in mixed byte order');
  return conversions === 0 && endianness() === 'LE' ? swapBytes : (slot) => slot;
}

export function swapBytes(number: number): number {
  const [a, b, c, d] = [number & 0xff, (number >>> 8) & 0xff, (number >>> 16) & 0xff, number >>> 24];
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

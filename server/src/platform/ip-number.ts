import { isIPv4, isIPv6 } from 'node:net';

/** An IPv4 or IPv6 address as one number; undefined for other text. */
export function numberOf(address: string): bigint | undefined {
  if (isIPv4(address)) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  if (!isIPv6(address)) return undefined;
  // A dotted IPv4 tail stands for the last two groups.
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const v4 = tail?.[2] === undefined ? undefined : (numberOf(tail[2]) ?? 0n);
  const text =
    tail?.[1] !== undefined && v4 !== undefined
      ? `${tail[1]}${(v4 >> 16n).toString(16)}:${(v4 & 0xffffn).toString(16)}`
      : address;
  const [head = '', end] = text.replace(/%.*$/, '').split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const missing = 8 - groups(head).length - groups(end ?? '').length;
  const all = [...groups(head), ...Array.from({ length: Math.max(0, missing) }, () => '0'), ...groups(end ?? '')];
  return all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

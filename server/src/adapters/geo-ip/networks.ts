import { type FileHandle, open } from 'node:fs/promises';
import { BlockList, isIPv4 } from 'node:net';
import { numberOf } from '../../platform/ip-number.ts';

/**
 * Finds the network to which an address belongs, in sorted lists of ranges: `first,last,number,name` with addresses as
 * decimal numbers (@ip-location-db/asn: RouteViews and DB-IP, CC BY 4.0). The file is searched on disk, a few hundred
 * bytes at a time, so that its 30 MB are never loaded.
 */
export async function findNetwork(
  files: { ipv4: string; ipv6: string },
  address: string,
): Promise<{ readonly number: number; readonly name: string } | null> {
  const value = numberOf(address);
  if (value === undefined) return null;
  const file = await open(isIPv4(address) ? files.ipv4 : files.ipv6, 'r');
  try {
    return (await search(file, value)) ?? null;
  } finally {
    await file.close();
  }
}

/** Longer than any line of the lists. */
const LINE_BYTES = 512;

interface Line {
  readonly start: number;
  readonly end: number;
  readonly first: bigint;
  readonly last: bigint;
  readonly number: number;
  readonly name: string;
}

async function search(file: FileHandle, value: bigint): Promise<Line | undefined> {
  let low = 0;
  let high = (await file.stat()).size;
  while (low < high) {
    const line = await lineAt(file, Math.floor((low + high) / 2));
    if (!line) return undefined;
    if (value < line.first) high = line.start;
    else if (value > line.last) low = line.end;
    else return line;
  }
  return undefined;
}

/** The line that contains the byte at an offset. */
async function lineAt(file: FileHandle, offset: number): Promise<Line | undefined> {
  const from = Math.max(0, offset - LINE_BYTES);
  const buffer = Buffer.alloc(LINE_BYTES * 2);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, from);
  const here = offset - from;
  const start = here === 0 ? 0 : buffer.lastIndexOf(10, here - 1) + 1;
  const newline = buffer.indexOf(10, here);
  const end = newline === -1 || newline >= bytesRead ? bytesRead : newline;
  const [, first, last, number, name] = /^(\d+),(\d+),(\d+),(.*?)\r?$/.exec(buffer.toString('utf8', start, end)) ?? [];
  if (first === undefined || last === undefined || name === undefined) return undefined;
  return {
    ...{ start: from + start, end: from + end + 1 },
    ...{ first: BigInt(first), last: BigInt(last), number: Number(number), name: unquoted(name) },
  };
}

function unquoted(field: string): string {
  return field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
}

const special = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  special.addSubnet(network, bits, 'ipv4');
}
special.addSubnet('::1', 128, 'ipv6');
special.addSubnet('fc00::', 7, 'ipv6');
special.addSubnet('fe80::', 10, 'ipv6');

/** Addresses without a location: private, shared and local ones (RFC 6890). */
export function isSpecial(address: string): boolean {
  return special.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { NetworkDirectory } from '../../modules/reach/networks.ts';
import type { Log } from '../../platform/log.ts';
import { networkLists } from './geo-ip.ts';
import { findNetwork, isSpecial } from './networks.ts';

/** Networks by the same lists as `openGeoDatabase`. Unreadable ones give no network, and never an error for the user. */
export function openNetworkDirectory({ log }: { readonly log: Log }): NetworkDirectory {
  const lists = networkLists();
  let kept: { readonly key: string; readonly ranges: Promise<Map<number, string[]>> } | undefined;
  const failed = (err: unknown) => {
    log.warn({ err }, 'the list of networks cannot be read');
    return null;
  };
  return {
    find: async (address) => {
      if (isIP(address) === 0 || isSpecial(address)) return null;
      return (await findNetwork(lists, address).catch(failed))?.number ?? null;
    },
    listRanges: async (networks) => {
      const key = networks.join();
      if (kept?.key !== key) kept = { key, ranges: readRanges(lists, networks) };
      return await kept.ranges;
    },
    version: async () => {
      const files = await Promise.all(Object.values(lists).map((file) => stat(file).catch(failed)));
      return files.map((file) => file?.size).join();
    },
  };
}

/** Both lists are in memory while they are searched, which takes tens of milliseconds, once per process and setting. */
async function readRanges(lists: { ipv4: string; ipv6: string }, networks: readonly number[]) {
  const ranges = new Map<number, string[]>(networks.map((network) => [network, []]));
  for (const [file, write] of [
    [lists.ipv4, dotted],
    [lists.ipv6, colons],
  ] as const) {
    const text = await readFile(file);
    for (const [network, own] of ranges) {
      const part = `,${network},`;
      for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
        const start = text.lastIndexOf(10, at) + 1;
        const [, first, last] = /^(\d+),(\d+)$/.exec(text.toString('latin1', start, at)) ?? [];
        if (first && last) own.push(`${write(BigInt(first))}-${write(BigInt(last))}`);
      }
    }
  }
  return ranges;
}

function dotted(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
}

function colons(value: bigint): string {
  const groups = value.toString(16).padStart(32, '0').match(/.{4}/g) ?? [];
  return groups.map((group) => group.replace(/^0{1,3}/, '')).join(':');
}

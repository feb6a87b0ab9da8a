import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { numberOf } from '../../platform/ip-number.ts';
import { createLog } from '../../platform/log.ts';
import { openGeoDatabase } from './geo-ip.ts';
import { openNetworkDirectory } from './network-directory.ts';
import { findNetwork, isSpecial } from './networks.ts';

const directory = mkdtempSync(join(tmpdir(), 'raha-geo-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const log = createLog('silent');
const { resolve } = createRequire(import.meta.url);
const bundled = {
  ipv4: resolve('@ip-location-db/asn/asn-ipv4-num.csv'),
  ipv6: resolve('@ip-location-db/asn/asn-ipv6-num.csv'),
};

const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');

const findNetworkName = async (...of: Parameters<typeof findNetwork>) => (await findNetwork(...of))?.name ?? null;

describe('the network of an address', () => {
  test('is found at both ends of every range tried, and nowhere between ranges', async () => {
    const lines = readFileSync(bundled.ipv4, 'utf8').split('\n').filter(Boolean);
    const tried = [0, 1, lines.length - 2, lines.length - 1, ...Array.from({ length: 60 }, (_, n) => n * 5_003)];
    for (const index of tried) {
      const [, first, last, name] = /^(\d+),(\d+),\d+,(.*)$/.exec(lines[index] ?? '') ?? [];
      if (!first || !last || !name) continue;
      const networkName = name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
      expect(await findNetworkName(bundled, dotted(Number(first)))).toBe(networkName);
      expect(await findNetworkName(bundled, dotted(Number(last)))).toBe(networkName);
      const next = /^(\d+),/.exec(lines[index + 1] ?? '')?.[1];
      if (next && Number(next) > Number(last) + 1) {
        expect(await findNetworkName(bundled, dotted(Number(last) + 1))).toBeNull();
      }
    }
    expect(await findNetworkName(bundled, '0.0.0.1')).toBeNull();
    expect(await findNetworkName(bundled, '255.255.255.255')).toBeNull();
    expect(await findNetworkName(bundled, 'no address')).toBeNull();
  });

  test('IPv6 alike', async () => {
    expect(await findNetworkName(bundled, '2001:4:112::1')).toBe('DNS-OARC');
    expect(await findNetworkName(bundled, '::2')).toBeNull();
  });

  test('names of any length and lists of one line or none', async () => {
    const files = { ipv4: join(directory, 'one.csv'), ipv6: join(directory, 'none.csv') };
    writeFileSync(files.ipv4, `16777216,16777471,1,"${'n'.repeat(200)}, ""x"""`);
    writeFileSync(files.ipv6, '');
    expect(await findNetworkName(files, '1.0.0.7')).toBe(`${'n'.repeat(200)}, "x"`);
    expect(await findNetworkName(files, '1.0.1.0')).toBeNull();
    expect(await findNetworkName(files, '2001::1')).toBeNull();
  });
});

test('an address is one number, however it is written', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      fc.pre(isIP(address) === 6);
      const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
      expect(numberOf(address)).toBe(numberOf(canonical));
    }),
  );
  fc.assert(
    fc.property(fc.nat(0xffffffff), (value) => {
      expect(numberOf(dotted(value))).toBe(BigInt(value));
    }),
  );
  expect(numberOf('::ffff:1.2.3.4')).toBe(0xffff_0102_0304n);
  expect(numberOf('::')).toBe(0n);
});

test('addresses without a location are not looked up', () => {
  for (const address of ['10.1.2.3', '127.0.0.1', '192.168.1.1', '100.64.0.1', '::1', 'fd00::1', 'fe80::1'])
    expect(isSpecial(address)).toBe(true);
  for (const address of ['1.1.1.1', '2001:4860::1', '203.0.113.9']) expect(isSpecial(address)).toBe(false);
});

describe('the directory of networks', () => {
  test('finds the number of an address, and lists exactly the ranges of a number', async () => {
    const directory = openNetworkDirectory({ log });
    for (const address of ['5.208.1.1', '2a01:4f8::1']) {
      const number = await directory.find(address);
      const ranges = (await directory.listRanges([number ?? 0, 64_512])).get(number ?? 0) ?? [];
      const value = numberOf(address) ?? 0n;
      const isInside = (range: string) => {
        const [first, last] = range.split('-').map((end) => numberOf(end) ?? 0n) as [bigint, bigint];
        return range.includes(':') === address.includes(':') && first <= value && value <= last;
      };
      expect(ranges.filter(isInside)).toHaveLength(1);
      const ends = ranges.slice(0, 10).flatMap((range) => range.split('-'));
      expect(await Promise.all(ends.map(directory.find))).toEqual(ends.map(() => number));
    }
    expect(await directory.find('10.0.0.1')).toBeNull();
    expect(await directory.find('nonsense')).toBeNull();
    expect([...(await directory.listRanges([64_512]))]).toEqual([[64_512, []]]);
  });
});

describe('the location database', () => {
  test('knows countries and networks of both families', async () => {
    const geo = openGeoDatabase({ file: undefined, log });
    expect(await geo.find('1.1.1.1')).toMatchObject({ isp: 'Cloudflare, Inc.', city: null });
    expect(await geo.find('5.160.0.1')).toMatchObject({ country: 'IR' });
    expect((await geo.find('2a01:4f8::1')).country).toBe('DE');
    expect(await geo.find('10.0.0.1')).toEqual({ country: null, city: null, isp: null });
    expect(await geo.find('nonsense')).toEqual({ country: null, city: null, isp: null });
  });

  test('does without the operator’s file when that cannot be read', async () => {
    const broken = join(directory, 'broken.mmdb');
    writeFileSync(broken, 'no database');
    for (const file of [broken, join(directory, 'absent.mmdb')]) {
      expect((await openGeoDatabase({ file, log }).find('5.160.0.1')).country).toBe('IR');
    }
  });
});

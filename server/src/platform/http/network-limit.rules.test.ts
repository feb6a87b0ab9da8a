import type { FastifyRequest } from 'fastify';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../clock.ts';
import { createNetworkLimit } from './network-limit.ts';

/** Audit S6: one network is one bucket, however its address is written, and rotating addresses gain little. */
const open = () => createNetworkLimit(manualClock(new Date('2026-11-20T08:00:00Z')), 10);
const at = (ip: string) => ({ ip }) as FastifyRequest;

/** How many of so many calls are let through. */
function letThrough(addresses: Iterable<string>): number {
  const limit = open();
  let passed = 0;
  for (const address of addresses) {
    try {
      limit.take(at(address), 'test');
      passed += 1;
    } catch (error) {
      expect(error).toMatchObject({ code: 'too_many_requests' });
    }
  }
  return passed;
}

const range = (count: number, addressOf: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => addressOf(i));

describe('networks', () => {
  test.each([
    ['one IPv4 address', range(50, () => '203.0.113.7'), 10],
    [
      'the same address as IPv4 and mapped into IPv6, dotted and hexadecimal',
      range(60, (i) => ['203.0.113.7', '::ffff:203.0.113.7', '::FFFF:cb00:7107'][i % 3] as string),
      10,
    ],
    ['different IPv4 addresses', range(50, (i) => `203.0.113.${i}`), 50],
    ['different mapped addresses', range(50, (i) => `::ffff:203.0.113.${i}`), 50],
    [
      'one /64, written in full and shortened',
      range(50, (i) => (i % 2 ? '2001:db8:0:0:0:0:0:5' : `2001:db8::${i.toString(16)}`)),
      10,
    ],
    ['rotating /64s of one /48', range(500, (i) => `2001:db8:1:${i.toString(16)}::1`), 40],
    ['a /64 with a short text of zeros', range(50, (i) => `2001:db8::${i.toString(16)}:0:0:1`), 10],
    ['different /48s', range(50, (i) => `2001:db8:${i.toString(16)}::1`), 50],
    ['an address with a zone', range(50, (i) => `fe80::1%eth${i}`), 10],
  ])('%s', (_what, addresses, passed) => {
    expect(letThrough(addresses)).toBe(passed);
  });

  test('what was taken back or given back counts no more, in both sizes of network', () => {
    const limit = open();
    for (let call = 0; call < 100; call++) limit.take(at(`2001:db8::${call}`), 'test')();
    for (let call = 0; call < 10; call++) limit.take(at('2001:db8::1'), 'test');
    expect(() => limit.take(at('2001:db8::2'), 'test')).toThrow();
    limit.giveBack(at('2001:db8::3'), 'test', 4);
    for (let call = 0; call < 4; call++) limit.take(at('2001:db8::1'), 'test');
    expect(() => limit.take(at('2001:db8::2'), 'test')).toThrow();
  });
});

import { chargeToman } from '@raha/contract/money.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOfPlans, decideSequence, totalToman, wireLimit } from './rules.ts';

test.each([
  [{ seq: 0n, hash: '' }, { seq: 1, hash: 'a' }, 'accept'],
  [{ seq: 5n, hash: 'a' }, { seq: 6, hash: 'b' }, 'accept'],
  [{ seq: 5n, hash: 'a' }, { seq: 9, hash: 'b' }, 'accept'],
  [{ seq: 5n, hash: 'a' }, { seq: 5, hash: 'a' }, 'repeat'],
  [{ seq: 5n, hash: 'a' }, { seq: 5, hash: 'b' }, 'fork'],
  [{ seq: 5n, hash: 'a' }, { seq: 4, hash: 'a' }, 'fork'],
] as const)('after %o, %o: %s', (last, report, decision) => {
  expect(decideSequence(last, report)).toBe(decision);
});

test.each([
  [0n, 100n, 0n, 100n],
  [70n, 100n, 60n, 110n],
  [70n, 100n, 100n, 70n],
  [70n, 90n, 100n, 70n],
])('counted %i, lease up to %i, billed %i: the node may count to %i', (counted, limit, billed, wire) => {
  expect(wireLimit(counted, limit, billed)).toBe(wire);
});

test('segments are priced each on its own bytes', () => {
  const segments = [
    { start: 0n, price: 1_000_000n },
    { start: 1_500_000n, price: 0n },
    { start: 10_000_000n, price: 5_000_000n },
  ];
  expect(totalToman(segments, 0n)).toBe(0n);
  expect(totalToman(segments, 999_999n)).toBe(0n);
  expect(totalToman(segments, 1_000_000n)).toBe(1n);
  expect(totalToman(segments, 1_500_000n)).toBe(1n);
  expect(totalToman(segments, 9_000_000n)).toBe(1n);
  expect(totalToman(segments, 11_000_000n)).toBe(1n + 5n);
});

test('one segment is F itself', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 13n }), fc.bigInt({ min: 0n, max: 10n ** 8n }), (bytes, price) => {
      expect(totalToman([{ start: 0n, price }], bytes)).toBe(chargeToman(bytes, price));
    }),
  );
});

test('bytes are given back to the plans that gave them', () => {
  const segments = [
    { start: 0n, price: 0n, plan: 'a' },
    { start: 100n, price: 5n, plan: null },
    { start: 200n, price: 0n, plan: 'b' },
    { start: 300n, price: 0n, plan: 'a' },
  ];
  const given = (from: bigint, to: bigint) => Object.fromEntries(bytesOfPlans(segments, from, to));
  expect(given(0n, 1_000n)).toEqual({ a: 800n, b: 100n });
  expect(given(50n, 350n)).toEqual({ a: 100n, b: 100n });
  expect(given(100n, 200n)).toEqual({});
  expect(given(300n, 300n)).toEqual({});
});

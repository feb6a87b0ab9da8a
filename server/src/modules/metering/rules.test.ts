import { chargeToman } from '@raha/contract/money.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bytesBySubscription,
  decideSequence,
  hourOf,
  hoursAtPace,
  type PricedSegment,
  splitByPrice,
  totalToman,
  wireLimit,
} from './rules.ts';

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

test('bytes are returned to the plans that paid for them', () => {
  const segments = [
    { start: 0n, price: 0n, subscriptionId: 'a' },
    { start: 100n, price: 5n, subscriptionId: null },
    { start: 200n, price: 0n, subscriptionId: 'b' },
    { start: 300n, price: 0n, subscriptionId: 'a' },
  ];
  const given = (from: bigint, to: bigint) => Object.fromEntries(bytesBySubscription(segments, from, to));
  expect(given(0n, 1_000n)).toEqual({ a: 800n, b: 100n });
  expect(given(50n, 350n)).toEqual({ a: 100n, b: 100n });
  expect(given(100n, 200n)).toEqual({});
  expect(given(300n, 300n)).toEqual({});
});

test('a range is split by price and source; equal neighbours are merged', () => {
  const [a, b] = ['a', 'b'];
  const segments = [
    { start: 0n, price: 2_000_000n, subscriptionId: null },
    { start: 1_000_000n, price: 2_000_000n, subscriptionId: null },
    { start: 2_000_000n, price: 0n, subscriptionId: a },
    { start: 3_000_000n, price: 0n, subscriptionId: b },
    { start: 4_000_000n, price: 5_000_000n, subscriptionId: b },
    { start: 5_000_000n, price: 2_000_000n, subscriptionId: null },
  ];
  const split = (from: bigint, to: bigint) => splitByPrice(segments, from, to);
  expect(split(0n, 2_500_000n)).toEqual([
    { bytes: 2_000_000n, price: 2_000_000n, subscriptionId: null, toman: 4n },
    { bytes: 500_000n, price: 0n, subscriptionId: a, toman: 0n },
  ]);
  expect(split(2_500_000n, 6_000_000n)).toEqual([
    { bytes: 500_000n, price: 0n, subscriptionId: a, toman: 0n },
    { bytes: 1_000_000n, price: 0n, subscriptionId: b, toman: 0n },
    { bytes: 1_000_000n, price: 5_000_000n, subscriptionId: b, toman: 5n },
    { bytes: 1_000_000n, price: 2_000_000n, subscriptionId: null, toman: 2n },
  ]);
  expect(split(4_000_000n, 5_000_000n)).toEqual([
    { bytes: 1_000_000n, price: 5_000_000n, subscriptionId: b, toman: 5n },
  ]);
  expect(split(2_000_000n, 2_000_000n)).toEqual([]);
  expect(splitByPrice([], 0n, 10n)).toEqual([]);
});

test('the parts of a range cost T of its end minus T of its start, whatever the segments', () => {
  const segment = fc.record({
    length: fc.bigInt({ min: 1n, max: 5_000_000n }),
    price: fc.constantFrom(0n, 1_000_000n, 3_333_333n),
    subscriptionId: fc.constantFrom(null, 'a', 'b'),
  });
  const at = fc.bigInt({ min: 0n, max: 30_000_000n });
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 8 }), at, at, (lengths, one, other) => {
      let start = 0n;
      const segments: PricedSegment[] = [];
      for (const { length, price, subscriptionId } of lengths) {
        segments.push({ start, price, subscriptionId });
        start += length;
      }
      const [from, to] = one < other ? [one, other] : [other, one];
      const parts = splitByPrice(segments, from, to);
      const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);
      expect(sum(parts.map(({ bytes }) => bytes))).toBe(to - from);
      expect(sum(parts.map(({ toman }) => toman))).toBe(totalToman(segments, to) - totalToman(segments, from));
      for (const [index, { bytes, price, subscriptionId }] of parts.entries()) {
        expect(bytes).toBeGreaterThan(0n);
        const next = parts[index + 1];
        expect(next?.price === price && next.subscriptionId === subscriptionId).toBe(false);
      }
      const given = Object.fromEntries(bytesBySubscription(segments, from, to));
      for (const subscriptionId of ['a', 'b']) {
        const own = parts.filter((part) => part.subscriptionId === subscriptionId).map(({ bytes }) => bytes);
        expect(sum(own)).toBe(given[subscriptionId] ?? 0n);
      }
    }),
  );
});

test('an hour lies within one Tehran day, and every instant within its hour', () => {
  const dayOf = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Tehran' });
  fc.assert(
    fc.property(fc.date({ min: new Date('2023-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }), (now) => {
      const begin = hourOf(now);
      const last = new Date(begin.getTime() + 3_599_999);
      expect(now >= begin && now <= last).toBe(true);
      expect(dayOf.format(begin)).toBe(dayOf.format(last));
      expect(hourOf(begin)).toEqual(begin);
    }),
  );
});

describe('how long a balance lasts at the pace of the last day', () => {
  test.each([
    [24_000n, 24_000n, 24],
    [6_840n, 20_520n, 8],
    [999n, 24_000n, 0],
    [0n, 24_000n, 0],
    // Nobody says for how long without a pace.
    [1_000n, 0n, undefined],
  ])('%s toman at %s a day: %s hours', (balance, charged, hours) => {
    expect(hoursAtPace(balance, charged)).toBe(hours);
  });
});

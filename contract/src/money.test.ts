import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { affordableBytes, chargeToman, priceMilliTomanPerGb, tomanToRial, toWire } from './money.ts';

describe('price and charge', () => {
  test.each([
    [3, 82_250, 2_467_500n],
    [3, 540_000, 16_200_000n],
    [0, 82_250, 0n],
    [1, 1, 10n],
  ])('%i cents at %i toman per dollar', (cents, rate, price) => {
    expect(priceMilliTomanPerGb(cents, rate)).toBe(price);
  });

  test.each([
    [0n, 0n],
    [405_268n, 0n],
    [405_269n, 1n],
    [1_000_000_000n, 2_467n],
    [2_000_000_000n, 4_935n],
    [9_007_199_254_740_991n, 22_225_264_161n],
  ])('%i bytes at 2,467.5 toman per GB cost %i toman', (bytes, toman) => {
    expect(chargeToman(bytes, 2_467_500n)).toBe(toman);
  });

  test('telescopes: however a stretch is cut, it costs the same', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 9n }),
        fc.array(fc.bigInt({ min: 0n, max: 10n ** 12n }), { maxLength: 20 }),
        (price, cuts) => {
          let at = 0n;
          let sum = 0n;
          for (const cut of cuts) {
            sum += chargeToman(at + cut, price) - chargeToman(at, price);
            at += cut;
          }
          expect(sum).toBe(chargeToman(at, price));
        },
      ),
    );
  });

  test('affordableBytes is the last byte that still costs no more', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.bigInt({ min: 1n, max: 10n ** 9n }), (toman, price) => {
        const bytes = affordableBytes(toman, price) as bigint;
        expect(chargeToman(bytes, price)).toBeLessThanOrEqual(toman);
        expect(chargeToman(bytes + 1n, price)).toBeGreaterThan(toman);
      }),
    );
    expect(affordableBytes(5n, 0n)).toBeUndefined();
    // What rounding leaves free.
    expect(affordableBytes(0n, 2_467_500n)).toBe(405_268n);
  });

  test('nonsense is a bug, not a number', () => {
    expect(chargeToman(10n ** 12n, 0n)).toBe(0n);
    expect(() => chargeToman(1n, -1n)).toThrow('chargeToman takes no negative');
    expect(() => affordableBytes(1n, -1n)).toThrow('affordableBytes takes no negative');
    expect(() => priceMilliTomanPerGb(-1, 1)).toThrow('usdCentsPerGb');
    expect(() => priceMilliTomanPerGb(1, 1.5)).toThrow('tomanPerUsd');
    expect(() => toWire(-(2n ** 53n))).toThrow('beyond');
    expect(() => chargeToman(-1n, 1n)).toThrow(RangeError);
    expect(() => affordableBytes(-1n, 1n)).toThrow(RangeError);
    expect(() => priceMilliTomanPerGb(1.5, 1)).toThrow(RangeError);
    expect(() => priceMilliTomanPerGb(1, 0)).toThrow(RangeError);
    expect(() => toWire(2n ** 53n)).toThrow(RangeError);
    expect(toWire(2n ** 53n - 1n)).toBe(Number.MAX_SAFE_INTEGER);
  });
});

test('a toman is ten rial', () => expect(tomanToRial(5)).toBe(50));

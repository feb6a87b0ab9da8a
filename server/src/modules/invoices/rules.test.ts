import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { yearOf } from './document-year.ts';
import { numberOf, vatOf, vatOfCredit } from './rules.ts';

describe('VAT', () => {
  test.each([
    [110_000n, 10, 10_000n],
    [109_000n, 9, 9_000n],
    [99_000n, 10, 9_000n],
    [1n, 10, 0n],
    [6n, 10, 1n],
    [123_457n, 0, 0n],
  ])('in %d toman at %d percent: %d', (amount, percent, vat) => {
    expect(vatOf(amount, percent)).toBe(vat);
  });

  test('a credit of everything takes all of it back, a part its share, and never more than there is', () => {
    const price = fc.bigInt({ min: 1n, max: 10n ** 12n });
    fc.assert(
      fc.property(price, price, fc.integer({ min: 0, max: 50 }), (amountToman, part, percent) => {
        const vatToman = vatOf(amountToman, percent);
        expect(vatToman).toBeLessThan(amountToman);
        const invoice = { amountToman, vatToman };
        expect(vatOfCredit(amountToman, invoice)).toBe(vatToman);
        const credit = part < amountToman ? part : amountToman;
        expect(vatOfCredit(credit, invoice)).toBeLessThanOrEqual(vatToman);
      }),
    );
  });
});

test('numbers sort as they count', () => {
  expect(numberOf({ year: 1405, number: 123 })).toBe('1405-000123');
  expect(numberOf({ year: 1405, number: 1_000_000 })).toBe('1405-1000000');
});

test('the year is that of Tehran', () => {
  // 1406 begins on 21 March 2027.
  expect(yearOf(new Date('2027-03-20T20:29:59Z'))).toBe(1405);
  expect(yearOf(new Date('2027-03-20T20:30:00Z'))).toBe(1406);
});

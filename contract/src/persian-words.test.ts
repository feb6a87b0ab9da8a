import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPersianWords } from './persian-words.ts';

test.each([
  [0, 'صفر'],
  [7, 'هفت'],
  [13, 'سیزده'],
  [20, 'بیست'],
  [45, 'چهل و پنج'],
  [100, 'صد'],
  [219, 'دویست و نوزده'],
  [1_000, 'هزار'],
  [1_001, 'هزار و یک'],
  [21_000, 'بیست و یک هزار'],
  [50_000, 'پنجاه هزار'],
  [1_000_000, 'یک میلیون'],
  [1_250_000, 'یک میلیون و دویست و پنجاه هزار'],
  [100_000_000, 'صد میلیون'],
  [2_000_000_017, 'دو میلیارد و هفده'],
])('%i is %s', (value, words) => expect(toPersianWords(value)).toBe(words));

test('different numbers have different words', () => {
  const amount = fc.integer({ min: 0, max: 10_000_000_000 });
  fc.assert(fc.property(amount, amount, (a, b) => a === b || toPersianWords(a) !== toPersianWords(b)));
});

test.each([-1, 0.5, Number.NaN, 2 ** 53])('%d is refused', (value) =>
  expect(() => toPersianWords(value)).toThrow(RangeError),
);

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cleanCode,
  cleanEmail,
  cleanName,
  cleanPhone,
  foldDigits,
  formatBytes,
  formatDate,
  formatNumber,
  parseAmount,
} from './persian.ts';

describe('what people type', () => {
  test.each([
    ['۱۲۳', '123'],
    ['٧٨٩', '789'],
    ['a۰b', 'a0b'],
  ])('digits %j', (typed, folded) => expect(foldDigits(typed)).toBe(folded));

  test.each([
    ['نيلوفر  كريمي', 'نیلوفر کریمی'],
    ['\u202eevil\u202c', 'evil'],
    ['می\u200cروم', 'می\u200cروم'],
    ['a\u0000b\tc', 'a b c'],
  ])('names %j', (typed, clean) => expect(cleanName(typed)).toBe(clean));

  test.each([
    [' A@Test.IR ', 'a@test.ir'],
    ['a\u200b@b.ir', 'a@b.ir'],
    ['ali۱۲@b.ir', 'ali12@b.ir'],
  ])('e-mails %j', (typed, clean) => expect(cleanEmail(typed)).toBe(clean));

  test.each([
    ['۰۹۱۲ ۳۴۵ ۶۷۸۹', '09123456789'],
    ['+98 (912) 345-6789', '09123456789'],
    ['0098 912 345 6789', '09123456789'],
    ['+98 0912 345 6789', '09123456789'],
    ['٩١٢٣٤٥٦٧٨٩', '09123456789'],
    ['\u202a09123456789\u202c', '09123456789'],
    ['02112345678', '02112345678'],
    ['+1 212 555 0100', '+12125550100'],
    ['', ''],
  ])('mobile numbers %j', (typed, clean) => expect(cleanPhone(typed)).toBe(clean));

  test('codes: only digits', () => expect(cleanCode('کد شما: ۹۸۷-۶۵۴')).toBe('987654'));

  test.each([
    ['۵۰٬۰۰۰', 50_000],
    ['50,000', 50_000],
    [' 1 000 ', 1000],
    ['12.5', Number.NaN],
    ['-5', Number.NaN],
    ['', Number.NaN],
  ])('amounts %j', (typed, amount) => expect(parseAmount(typed)).toBe(amount));
});

describe('what people read', () => {
  test.each([
    [0, '۰ بایت'],
    [999, '۹۹۹ بایت'],
    [1500, '۱٫۵ کیلوبایت'],
    [999_960, '۱ مگابایت'],
    [2_340_000, '۲٫۳ مگابایت'],
    [2_346_000_000, '۲٫۳۵ گیگابایت'],
    [999_960_000_000, '۱ ترابایت'],
    [5e12, '۵ ترابایت'],
  ])('%i bytes', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  test.each([
    ['fa', 'fa-IR'],
    ['en', 'en-US'],
  ] as const)('any number in %s is as the platform writes it', (locale, tag) => {
    const platform = new Intl.NumberFormat(tag);
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.maxSafeNat(), fc.nat(9_999), fc.double()), (number) => {
        // Zero has no sign here.
        const value = number + 0;
        expect(formatNumber(value, locale)).toBe(platform.format(value));
      }),
    );
  });

  test('numbers and Jalali days of Tehran', () => {
    expect(formatNumber(1_234_567)).toBe('۱٬۲۳۴٬۵۶۷');
    expect(formatDate(new Date('2026-11-20T21:00:00Z'))).toBe('۳۰ آبان ۱۴۰۵');
    expect(formatDate(new Date('2026-11-20T20:00:00Z'))).toBe('۲۹ آبان ۱۴۰۵');
  });
});

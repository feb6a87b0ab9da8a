import { describe, expect, test } from 'vitest';
import { cleanGiftCode, giftCodeProblem } from './gift-code.ts';

describe('cleaning', () => {
  test.each([
    [' ab cd-12 ', 'ABCD-12'],
    ['abcd_1234', 'ABCD1234'],
    ['ABCD–۱۲۳۴', 'ABCD-1234'],
    ['کد: abcd-1234', 'ABCD-1234'],
  ])('%j', (typed, cleaned) => expect(cleanGiftCode(typed)).toBe(cleaned));
});

describe('rules', () => {
  test.each([
    ['', 'gift_required'],
    ['ABC', 'gift_length'],
    ['A'.repeat(25), 'gift_length'],
    ['A'.repeat(24), undefined],
    ['ABCD 123', 'gift_characters'],
    ['TEST1234', 'gift_fake'],
    ['DEMO-1234', 'gift_fake'],
    ['ABCDEFGHIJK', 'gift_hyphen'],
    ['ABCDEFGHIJKL', undefined],
    ['ABCD-1234', undefined],
    ['A-BCDEFGH', 'gift_format'],
    ['ABCD--1234', 'gift_format'],
    ['AB-CD-EF-GH-IJ', undefined],
    ['AB-CD-EF-GH-IJ-KL', 'gift_format'],
    ['7K3M-9QXW-2R5T-8VB3', undefined],
  ])('%j: %s', (code, problem) => expect(giftCodeProblem(code)).toBe(problem));
});

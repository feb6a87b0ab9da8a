import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { waitMinutes } from '../sessions/rules.ts';
import { checkSymbol, makeGiftCode, readGiftCode, showGiftCode } from './code.ts';
import { guesses, isRateCurrent, maskedCode, worthToman } from './rules.ts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

describe('codes', () => {
  test.each([
    ['0123456789ABCDE', 'E'],
    ['ZZZZZZZZZZZZZZZ', '7'],
    ['7K3M9QXW2R5T8VB', '3'],
    ['G1FTC0DE00000AB', '~'],
  ])('check symbol of %s', (body, check) => expect(checkSymbol(body)).toBe(check));

  test('a generated code is read back in any spelling', () => {
    for (let round = 0; round < 500; round += 1) {
      const code = makeGiftCode(randomBytes);
      expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{16}$/);
      expect(readGiftCode(showGiftCode(code))).toBe(code);
      expect(readGiftCode(code.toLowerCase().replaceAll('1', 'l').replaceAll('0', 'o'))).toBe(code);
    }
  });

  test('is shown in groups of four; an invalid symbol makes it invalid, whatever the check symbol', () => {
    expect(showGiftCode('7K3M9QXW2R5T8VB3')).toBe('7K3M-9QXW-2R5T-8VB3');
    for (const invalid of ['U', '*', 'ü']) {
      const bodies = Array.from({ length: 32 }, (_, index) => `${'0'.repeat(13)}${ALPHABET[index]}${invalid}`);
      for (const body of bodies) expect(readGiftCode(body + checkSymbol(body))).toBeUndefined();
    }
  });

  test('every single wrong symbol and every swap of neighbours is detected', () => {
    const code = '7K3M9QXW2R5T8VB3';
    for (let at = 0; at < 16; at += 1) {
      for (const other of '0123456789ABCDEFGHJKMNPQRSTVWXYZ') {
        if (other !== code[at]) expect(readGiftCode(code.slice(0, at) + other + code.slice(at + 1))).toBeUndefined();
      }
      const swapped = code.slice(0, at) + (code[at + 1] ?? '') + code[at] + code.slice(at + 2);
      if (at < 15 && code[at] !== code[at + 1]) expect(readGiftCode(swapped)).toBeUndefined();
    }
  });

  test.each(['', 'ABC', '7K3M9QXW2R5T8VB', '7K3M9QXW2R5T8VB3X', 'U'.repeat(16)])('%j is no code', (typed) => {
    expect(readGiftCode(typed)).toBeUndefined();
  });
});

test.each([
  [500, 82_250, 411_250n],
  [1, 82_250, 822n],
  [333, 100_001, 333_003n],
])('%i cents at %i toman are worth %i', (cents, rate, worth) => expect(worthToman(cents, rate)).toBe(worth));

test.each([
  [undefined, true],
  [100_000, true],
  [98_000, true],
  [102_000, true],
  [97_999, false],
  [102_001, false],
])('a rate of %s seen while 100,000 is current', (seen, current) => expect(isRateCurrent(seen, 100_000)).toBe(current));

test('ten failures within the hour make an account wait until the oldest is an hour old', () => {
  const now = new Date(10_000_000);
  const failures = Array.from({ length: 10 }, (_, index) => new Date(now.getTime() - index * 60_000));
  expect(waitMinutes(failures.slice(0, 9), guesses, now)).toBeUndefined();
  expect(waitMinutes(failures, guesses, now)).toBe(51);
  expect(waitMinutes([...failures.slice(0, 9), new Date(now.getTime() - 3_600_000)], guesses, now)).toBeUndefined();
});

test('only the last four symbols of a redeemed code are shown', () =>
  expect(maskedCode('8VB3')).toBe('••••-••••-••••-8VB3'));

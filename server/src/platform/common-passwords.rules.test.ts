import { isAcceptablePassword } from '@raha/contract/password.ts';
import { expect, test } from 'vitest';
import { commonHashes, hashFolded, isCommonPassword } from './common-passwords.ts';

test.each([
  'password1',
  'abcd1234',
  'Password1',
  'PASSWORD123',
  'P@ssw0rd',
  'qwerty123',
  'iloveyou2',
  'password1!',
  'Iloveyou1!!',
])('%s is on the list', (password) => {
  expect(isCommonPassword(password)).toBe(true);
});

test.each([
  'Correct-horse-7',
  'correct horse battery staple',
  'اسب درست باتری سنجاق',
  'violet-tram-9-harbour',
  '!!!!!!!!',
])('%s is not', (password) => {
  expect(isCommonPassword(password)).toBe(false);
});

test('a form finds a common password by the beginning of its hash, and no prefix gives many', () => {
  const hash = hashFolded('password1').toString('hex');
  expect(commonHashes(hash.slice(0, 3))).toContain(hash);
  const prefixes = Array.from({ length: 4096 }, (_, index) => index.toString(16).padStart(3, '0'));
  const all = prefixes.map(commonHashes);
  expect(all.flat()).toHaveLength(46_632);
  expect(Math.max(...all.map(({ length }) => length))).toBeLessThan(40);
});

test('of 20,000 random passwords no more than a few are taken for common ones', () => {
  const taken = Array.from({ length: 20_000 }, (_, index) => `Random ${index * 7919} words`).filter(isCommonPassword);
  expect(taken.length).toBeLessThan(5);
});

test('a passphrase is strong by its length and its spaces, in Persian too', () => {
  for (const phrase of ['correct horse battery staple', 'اسب درست باتری سنجاق']) {
    expect(isAcceptablePassword(phrase)).toBe(true);
  }
});

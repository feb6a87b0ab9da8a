import { limits } from '@raha/contract/limits.ts';
import { expect, test } from 'vitest';
import { looksLikeToken } from './foreign-token.ts';

test.each([
  ['a.b.c', true],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln-_', true],
  ['a.b', false],
  ['a.b.c.d', false],
  ['a..c', false],
  ['a.b.c; Path=/evil', false],
  ['', false],
])('%j looks like a token: %s', (token, looks) => {
  expect(looksLikeToken(token)).toBe(looks);
});

test('the temporary token lives as long as the contract says', () => {
  expect(limits.session.temporaryTokenDays).toBe(0.25);
});

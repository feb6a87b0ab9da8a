import { expect, test } from 'vitest';
import { parseMailedCode } from './mailed-code.ts';

const stored = JSON.stringify({ email: 'a@example.com', sentAt: 1_000_000 });

test.each([
  ['a minute later', stored, 'a@example.com', 1_060_000, true],
  ['ten minutes later it has run out', stored, 'a@example.com', 1_600_000, false],
  ['another address', stored, 'b@example.com', 1_060_000, false],
  ['nothing stored', null, 'a@example.com', 1_060_000, false],
  ['something else stored', '{"email":"a@example.com"}', 'a@example.com', 1_060_000, false],
])('%s', (_what, text, email, at, isGood) => {
  expect(parseMailedCode(text, email, at) !== undefined).toBe(isGood);
});

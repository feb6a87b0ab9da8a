import { expect, test } from 'vitest';
import { createAttempts } from './attempts.ts';

test('a retry keeps its key, another body or a finished attempt gets a new one', () => {
  let count = 0;
  const attempts = createAttempts(() => `key-${++count}`);
  expect(attempts.keyFor({ amount: 1 })).toBe('key-1');
  expect(attempts.keyFor({ amount: 1 })).toBe('key-1');
  expect(attempts.keyFor({ amount: 2 })).toBe('key-2');
  attempts.over();
  expect(attempts.keyFor({ amount: 2 })).toBe('key-3');
});

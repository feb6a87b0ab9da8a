import { expect, test } from 'vitest';
import { createGapEnd } from './gap-end.ts';

test('a second hello on the same stream makes everything stale, the first one what is older than the stream', () => {
  const endOf = createGapEnd(1_000);
  expect(endOf({ type: 'hello' })).toBe(1_000);
  expect(endOf({ type: 'notification' })).toBe(1_000);
  expect(endOf({ type: 'hello' })).toBe(Number.POSITIVE_INFINITY);
  expect(createGapEnd(2_000)({ type: 'hello' })).toBe(2_000);
});

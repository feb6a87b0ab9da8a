import { expect, test } from 'vitest';
import { backOff } from './back-off.ts';

test.each([
  [0, 500, 1_000],
  [1, 1_000, 2_000],
  [4, 8_000, 16_000],
  [5, 15_000, 30_000],
  [60, 15_000, 30_000],
])('after %i failures between %i and %i ms', (failures, least, most) => {
  expect(backOff(failures, () => 0)).toBe(least);
  expect(backOff(failures, () => 1)).toBe(most);
});

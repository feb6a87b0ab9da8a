import { expect, test } from 'vitest';
import { cheaperFromGb } from './break-even.ts';

test.each([
  ['50 GB for 99,000 at 2,700 a gigabyte', { price: 99_000, trafficLimit: 50e9 }, 2_700, 37],
  ['exactly as dear is not cheaper', { price: 100_000, trafficLimit: null }, 10_000, 11],
  ['traffic that ends before it pays', { price: 99_000, trafficLimit: 20e9 }, 2_700, undefined],
  ['the last gigabyte counts', { price: 99_000, trafficLimit: 37e9 }, 2_700, 37],
  ['a free gigabyte is never dearer', { price: 99_000, trafficLimit: null }, 0, undefined],
])('%s', (_, plan, tomanPerGb, from) => {
  expect(cheaperFromGb(plan, tomanPerGb)).toBe(from);
});

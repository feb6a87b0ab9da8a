import { expect, test } from 'vitest';
import { createBlockedQueryCounter } from './blocked-queries.ts';

const totals = (count: number) => new Map([[2, count]]);
const held = (config: string) => new Map([[2, config]]);

test('an agent that starts does not report what was counted before', () => {
  const counter = createBlockedQueryCounter();
  expect(counter.update(totals(7), held('a'), 0)).toEqual(new Map());
  expect(counter.update(totals(9), held('a'), 0)).toEqual(new Map([['a', 2]]));
  expect(counter.update(totals(9), held('a'), 0)).toEqual(new Map());
});

test('a rebuilt table counts from zero, even when its count is higher than the old one', () => {
  const counter = createBlockedQueryCounter();
  counter.update(totals(7), held('a'), 1);
  expect(counter.update(totals(8), held('a'), 2)).toEqual(new Map([['a', 8]]));
});

test('the next config of a slot does not get the counts of the one before', () => {
  const counter = createBlockedQueryCounter();
  counter.update(totals(1), held('a'), 1);
  expect(counter.update(totals(5), held('b'), 1)).toEqual(new Map());
  expect(counter.update(totals(6), held('b'), 1)).toEqual(new Map([['b', 1]]));
  expect(counter.update(totals(8), new Map(), 1)).toEqual(new Map());
  expect(counter.update(totals(9), held('c'), 1)).toEqual(new Map());
});

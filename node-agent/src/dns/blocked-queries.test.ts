import { expect, test } from 'vitest';
import { createWithheldCount } from './blocked-queries.ts';

const totals = (count: number) => new Map([[2, count]]);
const held = (config: string) => new Map([[2, config]]);

test('an agent that starts tells nothing of what was counted before it', () => {
  const count = createWithheldCount();
  expect(count.look(totals(7), held('a'), 0)).toEqual(new Map());
  expect(count.look(totals(9), held('a'), 0)).toEqual(new Map([['a', 2]]));
  expect(count.look(totals(9), held('a'), 0)).toEqual(new Map());
});

test('a new table counts from zero, also where it has counted more than the old one since', () => {
  const count = createWithheldCount();
  count.look(totals(7), held('a'), 1);
  expect(count.look(totals(8), held('a'), 2)).toEqual(new Map([['a', 8]]));
});

test('who comes to a slot hears nothing of the one before', () => {
  const count = createWithheldCount();
  count.look(totals(1), held('a'), 1);
  expect(count.look(totals(5), held('b'), 1)).toEqual(new Map());
  expect(count.look(totals(6), held('b'), 1)).toEqual(new Map([['b', 1]]));
  expect(count.look(totals(8), new Map(), 1)).toEqual(new Map());
  expect(count.look(totals(9), held('c'), 1)).toEqual(new Map());
});

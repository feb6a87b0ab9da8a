import { bulkActs, bulkStates } from '@raha/contract/admin/bulk.ts';
import { expect, test } from 'vitest';
import { decideStep, inverseOf, isMoreThanShown, isOver } from './rules.ts';

test.each([
  ['proposed', 'pause', undefined],
  ['proposed', 'continue', undefined],
  ['proposed', 'stop', undefined],
  ['planned', 'pause', undefined],
  ['planned', 'continue', undefined],
  ['planned', 'stop', 'cancelled'],
  ['running', 'pause', 'paused'],
  ['running', 'continue', undefined],
  ['running', 'stop', 'stopped'],
  ['paused', 'pause', undefined],
  ['paused', 'continue', 'running'],
  ['paused', 'stop', 'stopped'],
] as const)('a bulk that is %s: %s', (state, step, after) => {
  expect(decideStep(state, step)).toBe(after);
});

test('nothing happens any more to one that is over', () => {
  for (const state of bulkStates.filter(isOver))
    for (const step of ['pause', 'continue', 'stop'] as const) expect(decideStep(state, step)).toBeUndefined();
});

test('the inverse of an inverse is the act', () => {
  for (const act of bulkActs) {
    const inverse = inverseOf(act);
    if (inverse !== undefined) expect(inverseOf(inverse)).toBe(act);
  }
});

test.each([
  [412, 412, false],
  [411, 412, false],
  [416, 412, false],
  [417, 412, true],
  [99, 99, false],
  [100, 99, true],
  [1, 1, false],
  [2, 1, true],
])('%d where %d were shown', (count, shown, isMore) => {
  expect(isMoreThanShown(count, shown, 1)).toBe(isMore);
});

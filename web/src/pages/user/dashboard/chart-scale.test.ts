import { describe, expect, test } from 'vitest';
import { levelOf, marksOf, nearestIndex, pointsOf, xOf, yOf } from './chart-scale.ts';

const frame = { width: 700, height: 300, rtl: true };
const trend = (...values: number[]) => ({
  labels: values.map((_, i) => `2026-11-${10 + i}`),
  data: values.map((value, i) => ({ label: `2026-11-${10 + i}`, value })),
});

test('the level of a day: high above 20, medium above 10', () => {
  expect([20.01, 20, 10.01, 10, 0].map(levelOf)).toEqual(['high', 'medium', 'medium', 'low', 'low']);
});

describe('the axis', () => {
  test('ends on a round figure above the highest day', () => {
    const marks = marksOf(pointsOf(trend(1e9, 6.8e9)));
    expect(marks[0]).toBe(0);
    expect(marks.at(-1)).toBeGreaterThanOrEqual(6.8);
  });
  test.each([
    [0.6, [0, 0.2, 0.4, 0.6]],
    [1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [6.8, [0, 2, 4, 6, 8]],
    [23, [0, 5, 10, 15, 20, 25]],
    [130, [0, 50, 100, 150]],
  ])('up to %f GB', (highest, marks) => {
    expect(marksOf(pointsOf(trend(highest * 1e9)))).toEqual(marks);
  });
  test('does not make a mountain of megabytes', () => {
    expect(marksOf(pointsOf(trend(0, 1e6))).at(-1)).toBeGreaterThanOrEqual(0.5);
  });
  test('zero lies on the ground and the top at the top', () => {
    expect(yOf(0, 8, frame)).toBe(266);
    expect(yOf(8, 8, frame)).toBe(32);
  });
});

describe('the days', () => {
  test('run with the writing: today is at the left in Persian, at the right in English', () => {
    expect(xOf(6, 7, frame)).toBeLessThan(xOf(0, 7, frame));
    expect(xOf(6, 7, { ...frame, rtl: false })).toBeGreaterThan(xOf(0, 7, { ...frame, rtl: false }));
  });
  test('the pointer finds the nearest', () => {
    for (let index = 0; index < 7; index++) expect(nearestIndex(xOf(index, 7, frame) + 3, 7, frame)).toBe(index);
    expect(nearestIndex(-50, 7, frame)).toBe(6);
  });
});

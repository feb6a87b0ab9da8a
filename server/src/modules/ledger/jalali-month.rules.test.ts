import { expect, test } from 'vitest';
import { daysOfMonth, monthOf, nextMonth } from './jalali-month.ts';

test.each([
  ['1405-08', '2026-10-23', '2026-11-21'],
  ['1405-01', '2026-03-21', '2026-04-20'],
  // A leap year: Esfand has thirty days.
  ['1403-12', '2025-02-19', '2025-03-20'],
  ['1404-12', '2026-02-20', '2026-03-20'],
])('%s is from %s to %s', (month, from, to) => expect(daysOfMonth(month)).toEqual({ from, to }));

test.each(['1405-13', '1405-00', '1405-8', '2026-08', 'x', ''])('%j is no month', (month) =>
  expect(daysOfMonth(month)).toBeUndefined(),
);

test('months of forty years follow each other without a gap', () => {
  let month = '1390-01';
  for (let count = 0; count < 480; count += 1) {
    const { to = '' } = daysOfMonth(month) ?? {};
    const next = nextMonth(month);
    const after = new Date(Date.parse(to) + 86_400_000).toISOString().slice(0, 10);
    expect(daysOfMonth(next)?.from).toBe(after);
    expect([monthOf(to), monthOf(after), nextMonth(next, -1)]).toEqual([month, next, month]);
    month = next;
  }
});

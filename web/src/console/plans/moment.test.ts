import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMoment, typedOf } from './moment.ts';

test.each([
  ['1405/09/15', '09:30', '2026-12-06T06:00:00.000Z'],
  ['۱۴۰۵/۹/۱۵', '۹:۳۰', '2026-12-06T06:00:00.000Z'],
  ['2026-12-06', '00:00', '2026-12-05T20:30:00.000Z'],
  // The last day of a leap year, and the first of the next.
  ['1403/12/30', '23:59', '2025-03-20T20:29:00.000Z'],
  ['1404/01/01', '00:00', '2025-03-20T20:30:00.000Z'],
])('%s %s is %s', (day, time, expected) => {
  expect(readMoment({ day, time })?.toISOString()).toBe(expected);
});

test.each([
  ['1404/12/30', '10:00'],
  ['1405/07/31', '10:00'],
  ['2026-02-30', '10:00'],
  ['1405/13/01', '10:00'],
  ['1405/09/15', '24:00'],
  ['1405/09/15', '9'],
  ['tomorrow', '10:00'],
  ['', ''],
])('%s %s is no moment', (day, time) => {
  expect(readMoment({ day, time })).toBeUndefined();
});

test('what the fields begin with is the moment itself, in both calendars', () => {
  const minute = fc.integer({ min: Date.UTC(2025, 0, 1) / 60_000, max: Date.UTC(2045, 0, 1) / 60_000 });
  fc.assert(
    fc.property(minute, fc.boolean(), (at, isJalali) => {
      expect(readMoment(typedOf(at * 60_000, isJalali))?.getTime()).toBe(at * 60_000);
    }),
  );
});

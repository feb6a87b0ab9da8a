import { afterEach, expect, test } from 'vitest';
import { overwriteGetLocale } from '../../text/generated/runtime.js';
import { isNameOf, monthName } from './month-name.ts';

const azar = { month: '1405-09', from: '2026-11-22' };

afterEach(() => overwriteGetLocale(() => 'fa'));

test('a month has the name that people give it', () => {
  expect(monthName(azar)).toBe('آذر ۱۴۰۵');
  expect(monthName({ month: '1406-01', from: '2027-03-21' })).toBe('فروردین ۱۴۰۶');
  overwriteGetLocale(() => 'en');
  expect(monthName(azar)).toBe('Azar 1405');
  expect(monthName({ month: '1404-12', from: '2026-02-20' })).toBe('Esfand 1404');
});

test('typed on any keyboard it is the same, and so is its key', () => {
  const april = { month: '1405-02', from: '2026-04-21' };
  for (const typed of ['اردیبهشت ۱۴۰۵', ' ارديبهشت  1405 ', '1405-02', '۱۴۰۵-۰۲'])
    expect(isNameOf(april, typed), typed).toBe(true);
  for (const typed of ['', 'اردیبهشت', 'اردیبهشت ۱۴۰۴', '1405-03', 'آذر ۱۴۰۵'])
    expect(isNameOf(april, typed), typed).toBe(false);
  expect(isNameOf(azar, 'آذر ۱۴۰۵'.normalize('NFD'))).toBe(true);
  overwriteGetLocale(() => 'en');
  expect(isNameOf(azar, 'azar 1405')).toBe(true);
});

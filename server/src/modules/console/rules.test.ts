import { describe, expect, test } from 'vitest';
import { cutOf, maskEmail, maskPhone, pageOf, readAsked } from './rules.ts';

describe('what was typed', () => {
  test.each([
    ['  ', 'all'],
    ['ab', undefined],
    ['Nil', { part: 'nil', reference: 'Nil' }],
    ['۰۹۱۲ ۳۴۵', { part: '0912345', digits: '0912345', reference: '0912 345' }],
    ['+98 912 345 4410', { part: '+989123454410', digits: '09123454410', reference: '+98 912 345 4410' }],
    ['۴۴۱۰', { part: '4410', digits: '4410', reference: '4410' }],
    ['x@gmail.com', { part: 'x@gmail.com', reference: 'x@gmail.com' }],
  ])('%s', (typed, asked) => {
    expect(readAsked(typed)).toEqual(asked);
  });

  test('the beginning of an id is all ids that begin so', () => {
    const ids = ['0192f3a0-0000-0000-0000-000000000000', '0192f3a0-ffff-ffff-ffff-ffffffffffff'];
    expect(readAsked('0192f3a0')).toMatchObject({ ids });
    expect(readAsked('0192F3A0-')).toMatchObject({ ids });
    const whole = '0192f3a0-1234-7abc-8def-0123456789ab';
    expect(readAsked(whole)).toMatchObject({ ids: [whole, whole] });
    expect(readAsked('0192f3a')).not.toHaveProperty('ids');
    expect(readAsked('0192f3ag')).not.toHaveProperty('ids');
  });
});

test('masks leave enough to compare, and not enough to write to', () => {
  expect(maskEmail('niloufar@gmail.com')).toBe('n•••r@gmail.com');
  expect(maskEmail('ali@gmail.com')).toBe('a•••@gmail.com');
  expect(maskEmail('a@x.ir')).toBe('a•••@x.ir');
  expect(maskPhone('09123454410')).toBe('0912•••4410');
});

test('what keeps the owner out is said before what ails the config', () => {
  const active = { status: 'active', hasService: true } as const;
  expect(cutOf(active, 'ok')).toBeNull();
  expect(cutOf(active, 'disconnected')).toBe('switched_off');
  expect(cutOf(active, 'no_balance')).toBe('no_balance');
  expect(cutOf({ ...active, status: 'suspended' }, 'disconnected')).toBe('account_suspended');
  expect(cutOf({ ...active, status: 'deactivated' }, 'disconnected')).toBe('account_closed');
  expect(cutOf({ ...active, hasService: false }, 'no_balance')).toBe('not_activated');
});

test('a page ends with an instant', () => {
  const events = ['3', '1', '2', '2'].map((at) => ({ at }));
  expect(pageOf(events, 2)).toEqual({ events: [{ at: '3' }, { at: '2' }, { at: '2' }], more: true });
  expect(pageOf(events, 4)).toEqual({ events: [{ at: '3' }, { at: '2' }, { at: '2' }, { at: '1' }], more: false });
  expect(pageOf([], 4)).toEqual({ events: [], more: false });
});

import { expect, test } from 'vitest';
import { withoutGiven } from './use-form.ts';

test('what is typed stays while what is given changes, until both are the same', () => {
  const typed = { name: 'سارا', email: 'new@mail.example' };
  const open = { name: '', email: 'old@mail.example', phone: '' };
  expect(withoutGiven(typed, open)).toBe(typed);
  expect(withoutGiven(typed, { ...open, phone: '09120000000' })).toBe(typed);
  expect(withoutGiven(typed, { ...open, email: 'new@mail.example' })).toEqual({ name: 'سارا' });
  expect(withoutGiven<typeof open>({}, open)).toEqual({});
});

import { expect, test } from 'vitest';
import { matches } from './matches.ts';

test.each([
  ['Abcdef12', 'Abcdef12', undefined],
  ['Abcdef12', 'abcdef12', 'password_confirmation'],
  ['Abcdef12', '', 'required'],
  ['', '', 'required'],
])('%j repeated as %j: %s', (password, repeated, problem) => {
  const result = matches(() => password).safeParse(repeated);
  expect(result.success ? undefined : result.error.issues[0]?.message).toBe(problem);
});

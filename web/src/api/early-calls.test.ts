import { expect, test } from 'vitest';
import { type EarlyCalls, takeEarly } from './early-calls.ts';

const path = '/api/v1/auth/me';

function calls(): EarlyCalls {
  return { token: 'a', at: 1_000, answers: new Map([[path, Promise.resolve(new Response('early'))]]) };
}

test('an early answer is taken once', async () => {
  const early = calls();
  expect(await (await takeEarly(early, path, 'a', 2_000))?.text()).toBe('early');
  expect(takeEarly(early, path, 'a', 2_000)).toBeUndefined();
});

test.each([
  ['another path', '/api/v1/user/wallet', 'a', 2_000],
  ['another token', path, 'b', 2_000],
  ['no token', path, undefined, 2_000],
  ['too late', path, 'a', 16_000],
])('%s: the call is made', (_what, wanted, token, now) => {
  expect(takeEarly(calls(), wanted, token, now)).toBeUndefined();
});

test('a document without early calls has none', () => {
  expect(takeEarly(undefined, path, 'a', 2_000)).toBeUndefined();
});

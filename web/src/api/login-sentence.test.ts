import { ApiError } from '@raha/contract/client.ts';
import { expect, test } from 'vitest';
import { m } from '../text/generated/messages.js';
import { loginSentence } from './login-sentence.ts';

test.each([
  [400, m.login_error_input()],
  [401, m.login_error_wrong()],
  [422, m.login_error_data()],
  [429, m.login_error_many()],
  [500, m.login_error_server()],
  [418, m.error_unknown()],
])('a log-in answered with %i and no sentence', (status, sentence) => {
  expect(loginSentence(new ApiError(status, 'unknown', 'unknown'))).toBe(sentence);
});

test('the sentence of the server comes first, and silence is a connection error', () => {
  expect(loginSentence(new ApiError(429, 'login_throttled', 'ده دقیقهٔ دیگر'))).toBe('ده دقیقهٔ دیگر');
  expect(loginSentence(new ApiError(0, 'network', 'network'))).toBe(m.error_network());
});

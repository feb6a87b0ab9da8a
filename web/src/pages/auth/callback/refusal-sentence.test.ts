import { errors, sentenceOf } from '@raha/contract/errors.ts';
import { expect, test } from 'vitest';
import { refusalSentence } from './refusal-sentence.ts';

test.each([
  'social_unverified',
  'social_link_needs_sign_in',
  'social_off',
  'account_suspended',
  'account_deactivated',
] as const)('%s is said as the server says it', (code) => {
  expect(refusalSentence(code, 'GitHub')).toBe(sentenceOf(code, 'fa', { provider: 'GitHub' }));
});

test('a failure names its provider, and what a provider itself says is said in our words', () => {
  expect(refusalSentence('social_failed', 'GitHub')).toBe('خطا در ورود با GitHub');
  expect(Object.keys(errors)).not.toContain('server_error');
  for (const code of ['server_error', 'unknown', undefined]) {
    expect(refusalSentence(code, 'GitHub')).toMatch(/[\u0600-\u06ff]/);
    expect(refusalSentence(code, 'GitHub')).not.toMatch(/[a-z]_[a-z]|error|Invalid/);
  }
});

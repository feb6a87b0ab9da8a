import { expect, test } from 'vitest';
import { readReturn, type SocialReturn } from './read-return.ts';

const STATE = 'a-state-of-this-very-tab';

test.each<[string, SocialReturn]>([
  ['error=access_denied', { kind: 'cancelled' }],
  [`error=access_denied&code=c&state=${STATE}`, { kind: 'cancelled' }],
  ['error=server_error', { kind: 'failed', reason: 'OAuth error: server_error', code: 'server_error' }],
  ['error=Call+0900+now!', { kind: 'failed', reason: 'OAuth error: unknown', code: 'unknown' }],
  ['token=a.b.c', { kind: 'token', token: 'a.b.c', isNew: false }],
  ['token=a.b.c&new_user=true', { kind: 'token', token: 'a.b.c', isNew: true }],
  ['token=a.b', { kind: 'malformed-token', reason: 'Invalid token format' }],
  [`code=c&state=${STATE}`, { kind: 'code', code: 'c', state: STATE, iss: undefined }],
  [
    `code=c&state=${STATE}&iss=https%3A%2F%2Fi.example`,
    { kind: 'code', code: 'c', state: STATE, iss: 'https://i.example' },
  ],
  ['code=c&state=another', { kind: 'failed', reason: 'Invalid state parameter' }],
  ['code=c', { kind: 'failed', reason: 'Invalid state parameter' }],
  ['success=true', { kind: 'cookies', isNew: false }],
  ['success=true&new_user=true', { kind: 'cookies', isNew: true }],
  ['success=false', { kind: 'nothing' }],
  ['', { kind: 'nothing' }],
])('?%s', (query, outcome) => {
  expect(readReturn(new URLSearchParams(query), STATE)).toEqual(outcome);
});

test('without a stored state no code is taken, not even one without a state', () => {
  expect(readReturn(new URLSearchParams('code=c'), undefined).kind).toBe('failed');
  expect(readReturn(new URLSearchParams('code=c&state='), undefined).kind).toBe('failed');
});

import { describe, expect, test } from 'vitest';
import { decideMailFailure, decideSmsOutcome, isResendable, resendWaitSeconds } from './delivery-rules.ts';

describe('why a mail was not taken', () => {
  test.each([
    [{ code: 'EENVELOPE', responseCode: 550 }, 'refused', 550],
    [{ code: 'EENVELOPE', responseCode: 450 }, 'busy', 450],
    [{ code: 'EAUTH', responseCode: 535 }, 'sign_in', 535],
    [{ code: 'ETLS' }, 'tls', undefined],
    [{ code: 'ETIMEDOUT' }, 'timeout', undefined],
    [{ code: 'ECONNREFUSED' }, 'unreachable', undefined],
    [new Error('550 no such mailbox: somebody@mail.example'), 'other', undefined],
    [{ code: 'somebody@mail.example', responseCode: 1e9 }, 'other', undefined],
    ['somebody@mail.example', 'other', undefined],
    [null, 'other', undefined],
  ] as const)('%j: %s', (error, reason, code) => {
    expect(decideMailFailure(error, false)).toEqual({ state: 'waiting', reason, code });
    expect(decideMailFailure(error, true)).toEqual({ state: 'given_up', reason, code });
  });
});

test('a text message is tried again only if it was certainly not sent', () => {
  expect(decideSmsOutcome({ kind: 'sent' }, true)).toEqual({ state: 'sent' });
  expect(decideSmsOutcome({ kind: 'unknown' }, false)).toEqual({
    state: 'uncertain',
    reason: 'no_answer',
  });
  const busy = { kind: 'busy', code: 429 } as const;
  expect(decideSmsOutcome(busy, false)).toEqual({ state: 'waiting', reason: 'busy', code: 429 });
  expect(decideSmsOutcome(busy, true)).toEqual({ state: 'given_up', reason: 'busy', code: 429 });
  const refused = { kind: 'refused', code: 411 } as const;
  expect(decideSmsOutcome(refused, false)).toEqual({ state: 'failed', reason: 'refused', code: 411 });
});

test('what has a code or says a notification can be sent again, once it is not tried any more, if it has a user', () => {
  const given = { kind: 'sign_in_code', state: 'given_up', userId: 'u', notificationId: null } as const;
  expect(isResendable(given)).toBe(true);
  expect(isResendable({ ...given, userId: null })).toBe(false);
  expect(isResendable({ ...given, state: 'waiting' })).toBe(false);
  expect(isResendable({ ...given, kind: 'password_changed' })).toBe(false);
  expect(isResendable({ ...given, kind: 'low_balance', notificationId: 'n' })).toBe(true);
});

test('a notification is sent again once a minute, and five times a day', () => {
  const now = new Date('2026-11-20T08:00:00Z');
  const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
  expect(resendWaitSeconds([], now)).toBe(0);
  expect(resendWaitSeconds([ago(0.5)], now)).toBe(30);
  expect(resendWaitSeconds([ago(1)], now)).toBe(0);
  expect(resendWaitSeconds([2, 3, 4, 5, 1_439].map(ago), now)).toBe(60);
  expect(resendWaitSeconds([2, 3, 4, 5, 1_440].map(ago), now)).toBe(0);
});

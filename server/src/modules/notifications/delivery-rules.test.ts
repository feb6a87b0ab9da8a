import { describe, expect, test } from 'vitest';
import { decideMailFailure, decideSmsOutcome } from './delivery-rules.ts';

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

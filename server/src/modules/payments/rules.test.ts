import { describe, expect, test } from 'vitest';
import {
  decideSettlement,
  type InquiryResult,
  maySettle,
  nextCheckAt,
  type PaymentState,
  type VerifyResult,
} from './rules.ts';

const paid: VerifyResult = { kind: 'paid', refId: '7', cardMask: undefined, evidence: {} };
const notPaid: VerifyResult = { kind: 'not-paid', evidence: {} };

describe('what a bank says', () => {
  test.each<[string, VerifyResult, InquiryResult, 'ok' | 'nok' | undefined, boolean, string]>([
    ['paid', paid, 'unknown', undefined, false, 'credit'],
    ['paid although the return said no', paid, 'unknown', 'nok', false, 'credit'],
    ['another amount', { kind: 'mismatch', evidence: {} }, 'unknown', 'ok', false, 'needs_review'],
    ['nothing: a time-out', { kind: 'unknown', reason: 'x' }, 'unknown', 'nok', true, 'wait'],
    ['not paid, still in the bank', notPaid, 'in-bank', 'ok', false, 'wait'],
    ['not paid, and the payer said no', notPaid, 'in-bank', 'nok', false, 'cancelled'],
    ['not paid, failed', notPaid, 'failed', 'ok', false, 'failed'],
    ['not paid, failed after a no', notPaid, 'failed', 'nok', false, 'cancelled'],
    ['not paid, but inquiry knows of money', notPaid, 'paid', 'nok', true, 'wait'],
    ['not paid on the last check', notPaid, 'in-bank', undefined, true, 'failed'],
    ['reversed', notPaid, 'reversed', undefined, false, 'failed'],
  ])('%s', (_what, verified, inquiry, returned, lastCheck, expected) => {
    const decision = decideSettlement(verified, inquiry, { returned, lastCheck });
    expect(decision.kind === 'close' ? decision.state : decision.kind).toBe(expected);
  });
});

describe('what may still change', () => {
  const credit = { kind: 'credit', refId: '1', cardMask: undefined, evidence: {} } as const;
  const close = { kind: 'close', state: 'failed', evidence: {} } as const;
  test.each<[PaymentState, boolean, boolean]>([
    ['created', true, true],
    ['redirected', true, true],
    ['failed', true, false],
    ['cancelled', true, false],
    ['completed', false, false],
    ['needs_review', false, false],
  ])('%s: credit %s, close %s', (state, mayCredit, mayClose) => {
    expect(maySettle(state, credit)).toBe(mayCredit);
    expect(maySettle(state, close)).toBe(mayClose);
    expect(maySettle(state, { kind: 'wait' })).toBe(false);
  });
});

test('the reconciler asks at 15 s, 1, 5, 15 min, 1, 6, 24, 72 h, then no more', () => {
  const start = new Date(0);
  const times = Array.from({ length: 9 }, (_, checks) => nextCheckAt(start, checks)?.getTime());
  expect(times).toEqual(
    [15, 60, 300, 900, 3600, 21_600, 86_400, 259_200].map((seconds) => seconds * 1000).concat([undefined as never]),
  );
});

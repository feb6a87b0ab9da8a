import { describe, expect, test } from 'vitest';
import {
  checkAfter,
  decideHealth,
  decideRefundable,
  decideSettlement,
  type InquiryResult,
  type RefundState,
} from './rules.ts';

const now = new Date('2026-11-20T10:00:00Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const DAY = 86_400;

describe('not paid, and the inquiry says', () => {
  test.each<[InquiryResult, 'ok' | 'nok' | undefined, unknown]>([
    ['cancelled', 'ok', { kind: 'close', state: 'cancelled', evidence: 7 }],
    ['verified', 'nok', { kind: 'wait' }],
    ['paid', 'nok', { kind: 'wait' }],
  ])('%s, after a return of %s', (inquiry, returned, settlement) => {
    const verified = { kind: 'not-paid', evidence: 7 } as const;
    expect(decideSettlement(verified, inquiry, { returned, lastCheck: true })).toEqual(settlement);
  });
});

describe('what may go back', () => {
  const payment = { state: 'completed', amountToman: 50_000n, settledAt: ago(DAY) } as const;
  const context = { walletToman: 80_000n, refund: undefined, reversed: false, now };
  test.each<[string, bigint, object, object]>([
    ['the whole of it', 50_000n, {}, {}],
    ['what is left of it', 20_000n, {}, { walletToman: 20_000n }],
    ['nothing of a payment that is not completed', 0n, { state: 'failed' }, {}],
    ['nothing of one that was never settled', 0n, { settledAt: null }, {}],
    ['nothing of one that the bank reversed', 0n, {}, { reversed: true }],
    ['the whole on the seventh day', 50_000n, { settledAt: ago(7 * DAY) }, {}],
    ['nothing after it', 0n, { settledAt: ago(7 * DAY + 1) }, {}],
    ['the whole after a refund that failed', 50_000n, {}, { refund: 'failed' }],
    ...(['requested', 'sent', 'confirmed', 'unknown'] as RefundState[]).map(
      (refund): [string, bigint, object, object] => [`nothing beside one that is ${refund}`, 0n, {}, { refund }],
    ),
  ])('%s', (_what, toman, of, at) => {
    expect(decideRefundable({ ...payment, ...of }, { ...context, ...at })).toBe(toman);
  });
});

test.each([
  [0, 15],
  [14, 15],
  [15, 60],
  [899, 900],
  [200_000, 259_200],
  [259_200, undefined],
])('of a payment %i s old the next question is at %s s', (age, at) => {
  expect(checkAfter(ago(age), now)).toEqual(at === undefined ? undefined : new Date(ago(age).getTime() + at * 1000));
});

test.each([
  [2, 2, 99_999, 'good'],
  [3, 0, 12_000, 'good'],
  [3, 0, 12_001, 'slow'],
  [10, 1, 0, 'good'],
  [10, 2, 0, 'slow'],
  [10, 4, 0, 'slow'],
  [10, 5, 0, 'off'],
  [3, 3, 0, 'off'],
])('%i calls, %i unanswered, %i ms: %s', (calls, unanswered, totalMs, health) => {
  expect(decideHealth({ calls, unanswered, totalMs })).toBe(health);
});

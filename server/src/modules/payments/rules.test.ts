import { describe, expect, test } from 'vitest';
import {
  applyOwner,
  applyVerdicts,
  checkAfter,
  decideDebtPayments,
  decideHealth,
  decideRefundable,
  decideReversal,
  decideSettlement,
  type InquiryResult,
  isSecondReference,
  maySettle,
  nextCheckAt,
  noCardMoney,
  originAfter,
  originLeft,
  type PaymentState,
  reversalCheckAfter,
  secondReference,
  type VerifyResult,
} from './rules.ts';

const paid: VerifyResult = { kind: 'paid', refId: '7', cardMask: undefined, evidence: {} };
const notPaid: VerifyResult = { kind: 'not-paid', evidence: {} };

describe("a bank's answer", () => {
  test.each<[string, VerifyResult, InquiryResult, 'ok' | 'nok' | undefined, boolean, string]>([
    ['paid', paid, 'unknown', undefined, false, 'credit'],
    ['paid although the return said no', paid, 'unknown', 'nok', false, 'credit'],
    ['another amount', { kind: 'mismatch', evidence: {} }, 'unknown', 'ok', false, 'needs_review'],
    ['no answer: a timeout', { kind: 'unknown', reason: 'x' }, 'unknown', 'nok', true, 'wait'],
    ['not paid, still in the bank', notPaid, 'in-bank', 'ok', false, 'wait'],
    ['not paid, and the payer said no', notPaid, 'in-bank', 'nok', false, 'cancelled'],
    ['not paid, failed', notPaid, 'failed', 'ok', false, 'failed'],
    ['not paid, failed after a no', notPaid, 'failed', 'nok', false, 'cancelled'],
    ['not paid, but the inquiry reports money', notPaid, 'paid', 'nok', true, 'wait'],
    ['not paid on the last check', notPaid, 'in-bank', undefined, true, 'failed'],
    ['reversed', notPaid, 'reversed', undefined, false, 'failed'],
    ['reversed after a no', notPaid, 'reversed', 'nok', false, 'cancelled'],
    ['cancelled at the bank', notPaid, 'cancelled', 'ok', false, 'cancelled'],
    ['not paid, and the inquiry does not know', notPaid, 'unknown', 'ok', false, 'wait'],
    ['not paid, but the inquiry says verified', notPaid, 'verified', undefined, true, 'wait'],
  ])('%s', (_what, verified, inquiry, returned, lastCheck, expected) => {
    const decision = decideSettlement(verified, inquiry, { returned, lastCheck });
    expect(decision.kind === 'close' ? decision.state : decision.kind).toBe(expected);
  });
});

describe('whether a settlement may change a payment', () => {
  const credit = { kind: 'credit', refId: '1', cardMask: undefined, evidence: {} } as const;
  const close = { kind: 'close', state: 'failed', evidence: {} } as const;
  const review = { kind: 'close', state: 'needs_review', evidence: {} } as const;
  test.each<[PaymentState, boolean, boolean]>([
    ['created', true, true],
    ['redirected', true, true],
    ['failed', true, false],
    ['cancelled', true, false],
    ['completed', false, false],
    ['needs_review', false, false],
  ])('%s: credit and review %s, close %s', (state, mayCredit, mayClose) => {
    expect(maySettle(state, credit)).toBe(mayCredit);
    expect(maySettle(state, review)).toBe(mayCredit);
    expect(maySettle(state, close)).toBe(mayClose);
    expect(maySettle(state, { kind: 'wait' })).toBe(false);
  });
});

describe('after the operator has closed a payment', () => {
  const credit = { kind: 'credit', refId: '1', cardMask: undefined, evidence: { code: 100 } } as const;
  const review = { kind: 'close', state: 'needs_review', evidence: { code: 100 } } as const;
  const failed = { kind: 'close', state: 'failed', evidence: {} } as const;
  const wait = { kind: 'wait' } as const;
  test.each([
    ['paid, nobody has closed it', credit, 0, credit],
    ['paid', credit, 1, review],
    ['another amount', review, 1, review],
    ['not paid', failed, 1, failed],
    ['nothing', wait, 1, wait],
    ['paid, closed twice', credit, 2, wait],
    ['another amount, closed twice', review, 2, wait],
  ] as const)('%s', (_what, settlement, verdicts, expected) => {
    expect(applyVerdicts(settlement, verdicts)).toEqual(expected);
  });
});

test('money for a deleted account goes to the operator; anything else is as it was', () => {
  const credit = { kind: 'credit', refId: '1', cardMask: undefined, evidence: { code: 100 } } as const;
  const evidence = { reason: 'the account was deleted', bank: { code: 100 } };
  expect(applyOwner(credit, true)).toEqual({ kind: 'close', state: 'needs_review', evidence });
  expect(applyOwner(credit, false)).toBe(credit);
  const failed = { kind: 'close', state: 'failed', evidence: {} } as const;
  expect(applyOwner(failed, true)).toBe(failed);
  expect(applyOwner({ kind: 'wait' }, true)).toEqual({ kind: 'wait' });
});

test('the reconciler checks at 15 s, 1, 5, 15 min, 1, 6, 24, 72 h, then no more', () => {
  const start = new Date(0);
  const times = Array.from({ length: 9 }, (_, checks) => nextCheckAt(start, checks)?.getTime());
  expect(times).toEqual(
    [15, 60, 300, 900, 3600, 21_600, 86_400, 259_200].map((seconds) => seconds * 1000).concat([undefined as never]),
  );
});

test.each([
  [0, 15],
  [14.999, 15],
  [15, 60],
  [3_600, 21_600],
  [100_000, 259_200],
  [259_199.999, 259_200],
  [259_200, undefined],
  [10_000_000, undefined],
])('%d s after its start a payment is next checked at %s s', (age, at) => {
  const now = new Date(age * 1000);
  expect(checkAfter(new Date(0), now)?.getTime()).toBe(at === undefined ? undefined : at * 1000);
});

test.each([
  [0, 3_600],
  [1_799, 3_600],
  [1_800, 21_600],
  [250_000, 259_200],
  [259_000, 259_000 + 86_400],
  [10_000_000, 10_000_000 + 86_400],
])('credited %d s after its start, a payment is checked for a reversal at %d s', (age, at) => {
  expect(reversalCheckAfter(new Date(0), new Date(age * 1000))).toEqual(new Date(at * 1000));
});

test.each<[string, Parameters<typeof decideReversal>[1], ReturnType<typeof decideReversal>]>([
  ['no refund', undefined, { kind: 'book', stopsRefund: false }],
  ['one that failed', { state: 'failed', amountToman: 100n }, { kind: 'book', stopsRefund: false }],
  ['a part, on its way', { state: 'sent', amountToman: 2n }, { kind: 'book', stopsRefund: false }],
  ['a part, unclear', { state: 'unknown', amountToman: 2n }, { kind: 'book', stopsRefund: false }],
  ['a part, arrived', { state: 'confirmed', amountToman: 99n }, { kind: 'book', stopsRefund: false }],
  ['a part, not sent yet', { state: 'requested', amountToman: 2n }, { kind: 'book', stopsRefund: true }],
  ['all of it, not sent yet', { state: 'requested', amountToman: 100n }, { kind: 'book', stopsRefund: true }],
  ['all of it, on its way', { state: 'sent', amountToman: 100n }, { kind: 'is-our-refund' }],
  ['all of it, unclear', { state: 'unknown', amountToman: 100n }, { kind: 'is-our-refund' }],
  ['all of it, arrived', { state: 'confirmed', amountToman: 100n }, { kind: 'is-our-refund' }],
])('a payment of 100 is reversed at the bank, refunded: %s', (_refunded, refund, expected) => {
  expect(decideReversal(100n, refund)).toEqual(expected);
});

test.each([
  ['nothing in the wallet', 0n, 0n, [], 50n],
  ['a part of the oldest', 10n, 10n, [20n], 40n],
  ['exactly the oldest', 30n, 30n, [0n], 20n],
  ['the oldest and a part of the next', 35n, 35n, [0n, 15n], 15n],
  ['more than all', 80n, 50n, [0n, 0n], 0n],
] as const)('debts of 30 and 20, paid from %s', (_what, wallet, paid, left, rest) => {
  const decided = decideDebtPayments([{ owed_toman: 30n }, { owed_toman: 20n }], wallet);
  expect(decided).toEqual({ paid, left: left.map((owed_toman) => ({ owed_toman })), rest });
});

test.each([
  ['a card into an empty wallet', 0n, 0n, 40n, 40n],
  ['a charge beside a card', 40n, 40n, 0n, 40n],
  ['a charge after bank money was spent', 40n, 60n, 0n, 40n],
  ['a charge after some of the card was spent', 40n, 25n, 0n, 25n],
  ['a card after all was spent', 40n, 0n, 10n, 10n],
] as const)('card money after %s', (_what, known, before, credited, after) => {
  const origin = (cardToman: bigint) => ({ cardToman, boundToman: 0n });
  expect(originAfter(origin(known), before, origin(credited))).toEqual(origin(after));
});

test('bound money is spent after all other card money', () => {
  const known = { cardToman: 60n, boundToman: 20n };
  expect(originLeft(known, 100n)).toEqual(known);
  expect(originLeft(known, 30n)).toEqual({ cardToman: 30n, boundToman: 20n });
  expect(originLeft(known, 5n)).toEqual({ cardToman: 5n, boundToman: 5n });
  expect(originLeft(known, 0n)).toEqual(noCardMoney);
});

describe('the refundable amount', () => {
  const day = 86_400_000;
  const payment = { state: 'completed', amountToman: 50_000n, settledAt: new Date(0) } as const;
  const bank = { cardToman: 0n, minToman: 2_000n, refund: undefined, reversed: false };
  const context = { ...bank, balanceToman: 80_000n, now: new Date(day) } as const;
  test.each([
    ['all of it', payment, context, 50_000n],
    ['the unspent part', payment, { ...context, balanceToman: 20_000n }, 20_000n],
    ['all of it when the wallet holds exactly that', payment, { ...context, balanceToman: 50_000n }, 50_000n],
    ['nothing, when all is spent', payment, { ...context, balanceToman: 0n }, 0n],
    ['what is left when card money is spent last', payment, { ...context, cardToman: 50_000n }, 30_000n],
    ['nothing, when only card money is left', payment, { ...context, cardToman: 80_000n }, 0n],
    ['the smallest refund', payment, { ...context, balanceToman: 2_000n }, 2_000n],
    ['nothing below the smallest refund', payment, { ...context, balanceToman: 1_999n }, 0n],
    ['all of it on the last moment of the seventh day', payment, { ...context, now: new Date(7 * day) }, 50_000n],
    ['nothing a moment later', payment, { ...context, now: new Date(7 * day + 1) }, 0n],
    ['nothing while a refund is under way', payment, { ...context, refund: 'requested' }, 0n],
    ['nothing after a refund', payment, { ...context, refund: 'confirmed' }, 0n],
    ['nothing while the outcome of a refund is unknown', payment, { ...context, refund: 'unknown' }, 0n],
    ['all of it after a refund that failed', payment, { ...context, refund: 'failed' }, 50_000n],
    ['nothing after the bank reversed it', payment, { ...context, reversed: true }, 0n],
    ['nothing of an open payment', { ...payment, state: 'redirected' }, context, 0n],
    ['nothing of a failed one', { ...payment, state: 'failed' }, context, 0n],
    ['nothing of one that was never settled', { ...payment, settledAt: null }, context, 0n],
  ] as const)('%s', (_what, given, around, expected) => expect(decideRefundable(given, around)).toBe(expected));
});

test.each([
  [0, 0, 0, 'good'],
  [2, 2, 60_000, 'good'],
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

test('ages are counted for a payment of today as for one of 1970', () => {
  const now = new Date('2026-11-20T10:00:00Z');
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  expect(checkAfter(ago(20), now)).toEqual(ago(20 - 60));
  const payment = { state: 'completed', amountToman: 5n, settledAt: ago(86_400) } as const;
  expect(
    decideRefundable(payment, {
      balanceToman: 9n,
      cardToman: 0n,
      minToman: 1n,
      refund: undefined,
      reversed: false,
      now,
    }),
  ).toBe(5n);
});

test('a second payment with one reference gets a reference with its own id, and is recognised by it', () => {
  expect(secondReference('4712', 'b')).toBe('4712/b');
  expect(isSecondReference('4712/b', 'b')).toBe(true);
  for (const other of ['4712', '4712/a', '4712b', 'b', '4712/b/c']) expect(isSecondReference(other, 'b')).toBe(false);
});

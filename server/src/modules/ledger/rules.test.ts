import { expect, test } from 'vitest';
import { decidePosting, MAX_AMOUNT } from './rules.ts';

const move = (accountId: string, amountToman: bigint) => ({ accountId, amountToman });

test('one entry per account; zero entries are dropped', () => {
  expect(decidePosting([move('a', -5n), move('b', 2n), move('b', 3n), move('c', 0n)])).toEqual({
    accounts: ['a', 'b'],
    amounts: [-5n, 5n],
  });
});

test.each([
  ['does not balance', [move('a', 1n), move('b', 1n)]],
  ['has one entry', [move('a', 0n)]],
  ['cancels itself out', [move('a', 5n), move('a', -5n)]],
  ['is too large', [move('a', MAX_AMOUNT + 1n), move('b', -MAX_AMOUNT - 1n)]],
  ['is too small', [move('a', -MAX_AMOUNT - 1n), move('b', MAX_AMOUNT + 1n)]],
])('a posting that %s is a bug', (_what, movements) => {
  expect(() => decidePosting(movements)).toThrow(RangeError);
});

test('the largest amount is allowed', () => {
  expect(decidePosting([move('a', MAX_AMOUNT), move('b', -MAX_AMOUNT)]).amounts).toEqual([MAX_AMOUNT, -MAX_AMOUNT]);
});

test('reports what is wrong, also when only one side is out of range', () => {
  expect(MAX_AMOUNT).toBe(BigInt(Number.MAX_SAFE_INTEGER));
  expect(() => decidePosting([move('a', 1n), move('b', 1n)])).toThrow('sums to 2');
  expect(() => decidePosting([])).toThrow('at least two entries');
  expect(() => decidePosting([move('a', MAX_AMOUNT + 1n), move('b', -MAX_AMOUNT), move('c', -1n)])).toThrow('2^53-1');
  expect(() => decidePosting([move('a', -MAX_AMOUNT - 1n), move('b', MAX_AMOUNT), move('c', 1n)])).toThrow('2^53-1');
});

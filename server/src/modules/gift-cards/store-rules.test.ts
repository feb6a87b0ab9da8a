import { describe, expect, test } from 'vitest';
import { decideVisit, returnUrlOf } from './store-rules.ts';

const now = new Date('2026-11-20T10:00:00Z');
const visit = (id: string, secondsAgo: number, requestId: string | null = null) => ({
  id,
  requestId,
  createdAt: new Date(now.getTime() - secondsAgo * 1000),
});
const many = Array.from({ length: 30 }, (_, index) => visit(String(index), 60 + index * 60));

describe('a visit', () => {
  test.each([
    ['the first', [], {}, { kind: 'new' }],
    ['nine seconds after the last', [visit('a', 9)], {}, { kind: 'wait', seconds: 1 }],
    ['at once', [visit('a', 0)], {}, { kind: 'wait', seconds: 10 }],
    ['ten seconds after', [visit('a', 10)], {}, { kind: 'new' }],
    ['the same request at once', [visit('a', 1, 'r')], { requestId: 'r' }, { kind: 'repeat', id: 'a' }],
    ['the same request later', [visit('b', 1), visit('a', 99, 'r')], { requestId: 'r' }, { kind: 'repeat', id: 'a' }],
    ['another request at once', [visit('a', 1, 'r')], { requestId: 's' }, { kind: 'wait', seconds: 9 }],
    ['the bare address at once', [visit('a', 1)], { isFallback: true }, { kind: 'repeat', id: 'a' }],
    ['the bare address later', [visit('a', 10)], { isFallback: true }, { kind: 'new' }],
    ['one more than thirty in an hour', many, {}, { kind: 'wait', seconds: 30 * 60 }],
    ['the thirtieth', many.slice(1), {}, { kind: 'new' }],
  ])('%s', (_what, earlier, request, decision) => {
    expect(decideVisit(earlier, { isFallback: false, ...request }, now)).toEqual(decision);
  });
});

test.each([
  [undefined, 'https://raha.example/user/subscriptions?payment_success=1&store=cardplus'],
  ['/user/plans?x=1#y', 'https://raha.example/user/plans?x=1&payment_success=1&store=cardplus'],
  [
    'https://raha.example/user/subscriptions',
    'https://raha.example/user/subscriptions?payment_success=1&store=cardplus',
  ],
  ['/user/a?store=other&store=third', 'https://raha.example/user/a?store=cardplus&payment_success=1'],
  ['https://evil.example/user/x', undefined],
  ['//evil.example/user/x', undefined],
  ['/user/../evil', undefined],
  ['/', undefined],
  ['https://a@raha.example/user/x', undefined],
  ['javascript:alert(1)', undefined],
  ['http://[', undefined],
])('a store sends back to %s: %s', (wanted, url) => {
  expect(returnUrlOf('https://raha.example', wanted, 'cardplus')).toBe(url);
});

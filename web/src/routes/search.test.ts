import { expect, test } from 'vitest';
import {
  readActivationSearch,
  readChargeSearch,
  readProfileSearch,
  readSignInSearch,
  readWalletSearch,
} from './search.ts';

test.each([
  [{}, {}],
  [{ step: 'profile' }, { step: 'profile' }],
  [{ step: 'admin' }, {}],
  [{ step: ['profile'] }, {}],
])('sign-in %j → %j', (raw, search) => expect(readSignInSearch(raw)).toEqual(search));

test.each([
  [{}, {}],
  [{ page: 3 }, { page: 3 }],
  [{ page: '2' }, { page: 2 }],
  [{ page: 1 }, {}],
  [{ page: -4 }, {}],
  [{ page: 'x' }, {}],
  [{ page: 1e9 }, {}],
])('wallet %j → %j', (raw, search) => expect(readWalletSearch(raw)).toEqual(search));

test.each([
  [
    { gift_code: 'ABCD-1234', auto_submit: 1 },
    { gift_code: 'ABCD-1234', auto_submit: true },
  ],
  [{ code: 123456789012 }, { code: '123456789012' }],
  [{ gift_card_code: { a: 1 }, auto_submit: 'no' }, {}],
  [{ store_redirect: 'success' }, { store_redirect: 'success' }],
  [
    { payment_success: 1, store: 'cardplus' },
    { store_redirect: 'success', store: 'cardplus' },
  ],
  [
    { payment_success: '1', site: 'card2gift' },
    { store_redirect: 'success', store: 'card2gift' },
  ],
  [{ payment_success: '1' }, {}],
  [{ payment_success: '0', store: 'cardplus' }, {}],
  [{ payment_success: '1', store: '<b>' }, { store_redirect: 'success' }],
])('activation %j → %j', (raw, search) => expect(readActivationSearch(raw)).toEqual(search));

const payment = '0192f0c1-2b3c-7d4e-8f90-123456789abc';
test.each([
  [
    { payment, outcome: 'ok' },
    { payment, outcome: 'ok' },
  ],
  [
    { payment, outcome: 'other' },
    { payment, outcome: 'nok' },
  ],
  [{ payment: 'javascript:alert(1)', outcome: 'ok' }, {}],
  [{}, {}],
])('charge %j → %j', (raw, search) => expect(readChargeSearch(raw)).toEqual(search));

test.each([
  [{ step: 'profile' }, { step: 'profile' }],
  [{ step: 'elsewhere' }, {}],
  [{ new_user: 'true' }, { step: 'profile' }],
  [{ new_user: 'true', token: 'a.b.c' }, {}],
  [{ step: 'profile', token: 'a.b.c' }, {}],
  [{ method: 'password' }, { method: 'password' }],
  [{ method: 'telepathy' }, {}],
])('sign-in: %j → %j', (raw, search) => {
  expect(readSignInSearch(raw)).toEqual(search);
});

test.each([
  [{}, {}],
  [{ tab: 'security' }, { tab: 'security' }],
  [{ tab: 'personal' }, {}],
  [{ tab: 'admin' }, {}],
  [{ tab: ['usage'] }, {}],
])('profile %j → %j', (raw, search) => expect(readProfileSearch(raw)).toEqual(search));

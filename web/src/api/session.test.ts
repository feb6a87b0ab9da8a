import type { User } from '@raha/contract/public/auth.ts';
import { expect, test } from 'vitest';
import { readCookie } from './cookies.ts';
import { decidePassage, hasService, tokenExpiresAt } from './session.ts';

const user: User = {
  id: '0192f0c1-2b3c-7d4e-8f90-123456789abc',
  name: 'نیلوفر',
  fullName: 'نیلوفر احمدی',
  email: 'n@example.com',
  phone: null,
  avatar: null,
  role: 'user',
  status: 'active',
  profileCompleted: true,
  isEmailVerified: true,
  isActivated: false,
  trialNeedsActivation: true,
  hasActiveSubscription: false,
  balance: 0,
  trialEndsAt: null,
  createdAt: '2026-11-20T00:00:00.000Z',
};

test.each([
  ['nobody', undefined, 'sign-in'],
  ['active', user, 'open'],
  ['active without a profile', { ...user, profileCompleted: false }, 'profile'],
  ['incomplete', { ...user, status: 'incomplete', profileCompleted: false }, 'profile'],
  ['pending verification', { ...user, status: 'pending_verification' }, 'sign-in'],
  ['suspended', { ...user, status: 'suspended' }, 'sign-in'],
] as const)('%s', (_, who, passage) => expect(decidePassage(who)).toBe(passage));

test('the end of an access token is read from its payload, whatever else it holds', () => {
  const payload = Buffer.from(JSON.stringify({ exp: 1_800_000_000, name: 'رها' })).toString('base64url');
  expect(tokenExpiresAt(`head.${payload}.seal`)).toBe(1_800_000_000_000);
  expect(tokenExpiresAt('nonsense')).toBeUndefined();
});

test('cookies are found by their whole name', () => {
  expect(readCookie('auth_token', 'xauth_token=1; auth_token=a%3Db; other=2')).toBe('a=b');
  expect(readCookie('missing', 'auth_token=1')).toBeUndefined();
});

const trialEndsAt = '2026-12-01T00:00:00.000Z';
test.each<[string, User | undefined, boolean]>([
  ['nobody', undefined, false],
  ['not activated', { ...user, trialEndsAt }, false],
  ['activated', { ...user, isActivated: true }, true],
  ['in a trial that does without activation', { ...user, trialEndsAt, trialNeedsActivation: false }, true],
  ['after such a trial', { ...user, trialEndsAt: '2026-11-01T00:00:00.000Z', trialNeedsActivation: false }, false],
])('configs for %s: %#', (_who, user, has) => {
  expect(hasService(user, Date.parse('2026-11-20T00:00:00Z'))).toBe(has);
});

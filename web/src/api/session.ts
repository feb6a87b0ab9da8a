import type { User } from '@raha/contract/public/auth.ts';
import { deleteCookie, readCookie, writeCookie } from './cookies.ts';
import { forgetLastKnown } from './forget-last-known.ts';

/**
 * The session as this browser sees it: an access token and the user, in two cookies that the server sets and all
 * tabs share. The refresh token is HttpOnly and never seen here.
 */
const TOKEN = 'auth_token';
const USER = 'user_data';

export function readToken(): string | undefined {
  return readCookie(TOKEN) || undefined;
}

/** The user as last stored in the cookie; `/auth/me` has newer data. */
export function readUser(): User | undefined {
  const stored = readToken() && readCookie(USER);
  if (!stored) return undefined;
  try {
    const user: unknown = JSON.parse(stored);
    return typeof user === 'object' && user !== null && 'status' in user && 'id' in user ? (user as User) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Stores the response of a sign-in, a refresh or `/auth/me`. The server has set the cookies itself, for the lifetime of
 * the session; equal values are left alone, and others are stored only until its next response.
 */
export function storeSession(session: { token?: string; user: User }): void {
  if (session.token && session.token !== readToken()) writeCookie(TOKEN, session.token);
  storeUser(session.user);
}

export function storeUser(user: User, days?: number): void {
  const text = JSON.stringify(user);
  if (text !== readCookie(USER)) writeCookie(USER, text, days);
}

/** Whatever ended it, nothing of the user stays in this browser. */
export function clearSession(): void {
  deleteCookie(TOKEN);
  deleteCookie(USER);
  forgetLastKnown();
}

/**
 * The expiry of an access token in milliseconds since the epoch; undefined without one. The signature is not verified.
 */
export function tokenExpiresAt(token: string): number | undefined {
  try {
    const payload = token.split('.')[1] ?? '';
    const json: unknown = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')));
    const expiry = (json as { exp?: unknown } | null)?.exp;
    return typeof expiry === 'number' ? expiry * 1000 : undefined;
  } catch {
    return undefined;
  }
}

/** Whether configs may be created and used: activated, or in a trial without activation. The server decides. */
export function hasService(user: User | undefined, now: number): boolean {
  if (!user || user.isActivated) return user !== undefined;
  return !user.trialNeedsActivation && user.trialEndsAt !== null && Date.parse(user.trialEndsAt) > now;
}

export type Passage = 'open' | 'sign-in' | 'profile';

/** Whether a user may enter the panel, or where to send them instead (specification 1, section 4). */
export function decidePassage(user: User | undefined): Passage {
  if (!user) return 'sign-in';
  if (user.status === 'incomplete') return 'profile';
  if (user.status !== 'active') return 'sign-in';
  return user.profileCompleted ? 'open' : 'profile';
}

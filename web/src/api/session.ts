import type { User } from '@raha/contract/public/auth.ts';
import { deleteCookie, readCookie, writeCookie } from './cookies.ts';

/**
 * The session as this browser sees it: an access token and the user, in two cookies that the server sets and all
 * tabs share. The refresh token is HttpOnly and never seen here.
 */
const TOKEN = 'auth_token';
const USER = 'user_data';

export function readToken(): string | undefined {
  return readCookie(TOKEN) || undefined;
}

/** The user as the cookie last knew them; fresher data comes from `/auth/me`. */
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
 * Keeps what a sign-in, a refresh or `/auth/me` answered. These have set the cookies themselves, for as long as the session
 * lives; what already says so is left alone, and anything else stays only until they answer again.
 */
export function storeSession(session: { token?: string; user: User }): void {
  if (session.token && session.token !== readToken()) writeCookie(TOKEN, session.token);
  storeUser(session.user);
}

export function storeUser(user: User, days?: number): void {
  const text = JSON.stringify(user);
  if (text !== readCookie(USER)) writeCookie(USER, text, days);
}

export function clearSession(): void {
  deleteCookie(TOKEN);
  deleteCookie(USER);
}

/** When an access token ends, in milliseconds since the epoch; undefined when it does not say. Nothing is verified. */
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

/** Whether configs may be made and used: activated, or inside a trial that does without. The server decides. */
export function hasService(user: User | undefined, now: number): boolean {
  if (!user || user.isActivated) return user !== undefined;
  return !user.trialNeedsActivation && user.trialEndsAt !== null && Date.parse(user.trialEndsAt) > now;
}

export type Passage = 'open' | 'sign-in' | 'profile';

/** Whether a user may enter the panel, and where else they belong (specification 1, section 4). */
export function decidePassage(user: User | undefined): Passage {
  if (!user) return 'sign-in';
  if (user.status === 'incomplete') return 'profile';
  if (user.status !== 'active') return 'sign-in';
  return user.profileCompleted ? 'open' : 'profile';
}

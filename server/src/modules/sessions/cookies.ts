import type { User } from '@raha/contract/public/auth.ts';
import type { FastifyReply } from 'fastify';

/**
 * The three cookies of a session, as specified: `auth_token` and `user_data` for the panel's script, and the refresh
 * token, which no script and no other path can read.
 */
export const REFRESH_COOKIE = 'refreshToken';
const REFRESH_PATH = '/api/v1/auth';

export function setSessionCookies(
  reply: FastifyReply,
  session: { readonly accessToken: string; readonly refreshToken: string; readonly sessionSeconds: number },
  user: User,
  secure: boolean,
): void {
  const shared = { sameSite: 'strict', secure, maxAge: session.sessionSeconds } as const;
  reply.setCookie('auth_token', session.accessToken, { ...shared, path: '/' });
  setUserCookie(reply, session.sessionSeconds, user, secure);
  reply.setCookie(REFRESH_COOKIE, session.refreshToken, { ...shared, path: REFRESH_PATH, httpOnly: true });
}

/** The current user data, for the rest of the session. */
export function setUserCookie(reply: FastifyReply, sessionSeconds: number, user: User, secure: boolean): void {
  reply.setCookie('user_data', JSON.stringify(user), { sameSite: 'strict', secure, maxAge: sessionSeconds, path: '/' });
}

export function clearSessionCookies(reply: FastifyReply, secure: boolean): void {
  const shared = { sameSite: 'strict', secure } as const;
  reply.clearCookie('auth_token', { ...shared, path: '/' });
  reply.clearCookie('user_data', { ...shared, path: '/' });
  reply.clearCookie(REFRESH_COOKIE, { ...shared, path: REFRESH_PATH, httpOnly: true });
}

/** Clears all our cookies when a user signs out. */
export function forgetBrowser(reply: FastifyReply, secure: boolean): void {
  clearSessionCookies(reply, secure);
  reply.header('clear-site-data', '"cache"');
}

import type { User } from '@raha/contract/public/auth.ts';
import { writeCookie } from './cookies.ts';
import { storeUser } from './session.ts';

/**
 * The temporary token of a sign-in whose address is not verified: valid for `/verify-email` only (`limits.session`).
 */
const TEMPORARY_DAYS = 0.25;

export function keepTemporaryToken(token: string, user: User): void {
  writeCookie('auth_token', token, TEMPORARY_DAYS);
  storeUser({ ...user, status: 'pending_verification' }, TEMPORARY_DAYS);
}

/** A token from a URL. Only its form is checked here; the server decides whether it is valid. */
export function keepForeignToken(token: string, days: number): boolean {
  if (!looksLikeToken(token)) return false;
  writeCookie('auth_token', token, days);
  return true;
}

/** Three base64url parts, separated by dots. */
export function looksLikeToken(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) && token.length < 4000;
}

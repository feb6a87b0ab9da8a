import type { User } from '@raha/contract/public/auth.ts';
import { writeCookie } from './cookies.ts';
import { storeUser } from './session.ts';

/** The temporary token of a log-in whose address is unproved: good for `/verify-email` alone (`limits.session`). */
const TEMPORARY_DAYS = 0.25;

export function keepTemporaryToken(token: string, user: User): void {
  writeCookie('auth_token', token, TEMPORARY_DAYS);
  storeUser({ ...user, status: 'pending_verification' }, TEMPORARY_DAYS);
}

/** A token that came in an address. It is only taken when it looks like one, and only the server knows whether it is. */
export function keepForeignToken(token: string, days: number): boolean {
  if (!looksLikeToken(token)) return false;
  writeCookie('auth_token', token, days);
  return true;
}

/** Three parts with dots between, of the letters that tokens are written in. */
export function looksLikeToken(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) && token.length < 4000;
}

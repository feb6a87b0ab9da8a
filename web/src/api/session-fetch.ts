import { apiBase } from 'virtual:first-endpoints';
import { getLocale } from '../text/generated/runtime.js';
import { now } from './clock.ts';
import { takeEarly } from './early-calls.ts';
import { createRefresher, withTabLock } from './refresh.ts';
import { clearSession, readToken, storeSession, tokenExpiresAt } from './session.ts';

/** The token is refreshed this long before its end, so that no call has to fail first. */
const AHEAD_MS = 30_000;

export const refreshToken = createRefresher({ readToken, exclusively: withTabLock, requestToken });

let endSession: () => void = clearSession;

/** Sets what happens when the session is over: the application clears the session and its caches, and leaves. */
export function onSessionEnd(end: () => void): void {
  endSession = end;
}

/** Also called when the event stream reports that the session was ended elsewhere. */
export function sessionEnded(): void {
  endSession();
}

/** `fetch` with the bearer token. A 401 leads to one refresh and one retry before the session counts as over. */
export async function sessionFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const token = await usableToken();
  const isRead = (init.method ?? 'GET') === 'GET';
  const early = isRead ? await takeEarly(window.earlyCalls, String(input), token, now()) : undefined;
  const response = early ?? (await send(input, init, token));
  if (response.status !== 401) return response;
  const fresh = await refreshToken(token);
  if (fresh) return await send(input, init, fresh);
  endSession();
  return response;
}

async function usableToken(): Promise<string | undefined> {
  const token = readToken();
  if (!token) return undefined;
  const expiresAt = tokenExpiresAt(token);
  if (expiresAt === undefined || expiresAt > now() + AHEAD_MS) return token;
  return (await refreshToken(token).catch(() => undefined)) ?? token;
}

function send(input: RequestInfo | URL, init: RequestInit, token: string | undefined): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('accept-language', getLocale());
  if (token) headers.set('authorization', `Bearer ${token}`);
  return fetch(input, { ...init, headers });
}

async function requestToken(): Promise<string | undefined> {
  const response = await fetch(`${apiBase}/auth/refresh`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(10_000),
  });
  if (response.status === 400 || response.status === 401 || response.status === 403) return undefined;
  if (!response.ok) throw new Error(`refresh answered ${response.status}`);
  const answer = (await response.json()) as { token: string; user: Parameters<typeof storeSession>[0]['user'] };
  storeSession(answer);
  return answer.token;
}

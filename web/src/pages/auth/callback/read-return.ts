import { looksLikeToken } from '../../../api/foreign-token.ts';

/** What a provider's answer in the address means (specification 1, section 5, "Social callback"). */
export type SocialReturn =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly reason: string; readonly code?: string }
  | { readonly kind: 'malformed-token'; readonly reason: 'Invalid token format' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'token'; readonly token: string; readonly isNew: boolean }
  | { readonly kind: 'cookies'; readonly isNew: boolean }
  | { readonly kind: 'code'; readonly code: string; readonly state: string; readonly iss: string | undefined };

/** Decides in the order of the specification: an error, a token, a code whose state is ours, the server's own success. */
export function readReturn(query: URLSearchParams, expectedState: string | undefined): SocialReturn {
  const error = query.get('error');
  // The user said no on the provider's page (RFC 6749 section 4.1.2.1): that is an answer, not an error.
  if (error === 'access_denied') return { kind: 'cancelled' };
  if (error) {
    // What stands in an address was written by anybody: only a plain code is repeated on the screen.
    const code = /^[\w.-]{1,64}$/.test(error) ? error : 'unknown';
    return { kind: 'failed', reason: `OAuth error: ${code}`, code };
  }
  const isNew = query.get('new_user') === 'true';
  const token = query.get('token');
  if (token) {
    if (!looksLikeToken(token)) return { kind: 'malformed-token', reason: 'Invalid token format' };
    return { kind: 'token', token, isNew };
  }
  const code = query.get('code');
  if (code) {
    const state = query.get('state') ?? '';
    if (!expectedState || state !== expectedState) return { kind: 'failed', reason: 'Invalid state parameter' };
    return { kind: 'code', code, state, iss: query.get('iss') ?? undefined };
  }
  return query.get('success') === 'true' ? { kind: 'cookies', isNew } : { kind: 'nothing' };
}

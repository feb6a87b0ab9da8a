import { createHmac, timingSafeEqual } from 'node:crypto';
import type { StoreVisit } from '../../modules/gift-cards/store.ts';

/**
 * The address of a visit to a store, with signed parameters. `sig` = base64url(HMAC-SHA256(key, canonical)), where
 * canonical is every other parameter, percent-encoded and sorted by name. `exp` is at most ten minutes ahead, a store
 * accepts each `nonce` once, and `kid` names the key.
 */
export interface SigningKey {
  readonly id: string;
  readonly secret: string | Buffer;
}

export function signedUrl(base: string, visit: StoreVisit, key: SigningKey): string {
  const url = new URL(base);
  const parameters = {
    ref: visit.ref,
    user_id: visit.userId,
    user_email: visit.email,
    return_url: visit.returnUrl,
    nonce: visit.nonce,
    exp: String(Math.floor(visit.expiresAt.getTime() / 1000)),
    kid: key.id,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  url.searchParams.set('sig', signatureOf(url.searchParams, key));
  return url.href;
}

export type Checked =
  | { readonly kind: 'good'; readonly ref: string; readonly nonce: string; readonly returnUrl: string }
  | { readonly kind: 'refused'; readonly reason: 'signature' | 'expired' };

/** How a store checks the address: the signature first, then the time. */
export function checkSigned(query: URLSearchParams, key: SigningKey, now: Date): Checked {
  const names = [...query.keys()];
  const isPlain = new Set(names).size === names.length && query.get('kid') === key.id;
  const given = Buffer.from(query.get('sig') ?? '');
  const expected = Buffer.from(signatureOf(query, key));
  const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
  if (!isPlain || !isSigned) return { kind: 'refused', reason: 'signature' };
  const left = Number(query.get('exp')) - now.getTime() / 1000;
  if (!(left > 0 && left <= 600)) return { kind: 'refused', reason: 'expired' };
  const of = (name: string) => query.get(name) ?? '';
  return { kind: 'good', ref: of('ref'), nonce: of('nonce'), returnUrl: of('return_url') };
}

function signatureOf(query: URLSearchParams, key: SigningKey): string {
  const canonical = [...query]
    .filter(([name]) => name !== 'sig')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join('&');
  return createHmac('sha256', key.secret).update(canonical).digest('base64url');
}

import { createECDH, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { Vault } from '../../platform/sealed.ts';

/** Our key towards push services (RFC 8292). */
export interface SenderKey {
  /** The point, uncompressed, in base64url. */
  readonly publicKey: string;
  /** The header that says who sends, for one service, until an instant in seconds since the epoch. */
  authorization(origin: string, subject: string, expiresAt: number): string;
}

/**
 * The key is derived from the vault's root, so that there is nothing to store and nothing to configure; it stays when the master
 * key is replaced, because browsers subscribe with it.
 */
export function openSenderKey(vault: Vault): SenderKey {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(scalarOf(vault));
  const point = pair.getPublicKey();
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: pair.getPrivateKey().toString('base64url').padStart(43, 'A'),
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  const publicKey = point.toString('base64url');
  return {
    publicKey,
    authorization: (aud, sub, exp) => `vapid t=${signToken(key, { aud, exp, sub })}, k=${publicKey}`,
  };
}

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** One of four thousand million derived values is no scalar of the curve; the next one is taken. */
function scalarOf(vault: Vault): Buffer {
  for (let attempt = 0; ; attempt += 1) {
    const bytes = vault.derive(attempt === 0 ? 'web push' : `web push ${attempt}`);
    const scalar = BigInt(`0x${bytes.toString('hex')}`);
    if (scalar > 0n && scalar < ORDER) return bytes;
  }
}

/** A JSON Web Token with ES256 (RFC 7515, RFC 7518 section 3.4). */
function signToken(key: KeyObject, claims: Readonly<Record<string, string | number>>): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

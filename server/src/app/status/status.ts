import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { Vault } from '../../platform/sealed.ts';

/**
 * What users may know of how the service is. Without addresses, names or numbers of servers: the page is read by those who block
 * them, too. Nothing is `up` that was not measured.
 */
export const partKinds = ['site', 'account', 'payments', 'gateway', 'mail', 'usage', 'country'] as const;
export type PartKind = (typeof partKinds)[number];
export type PartState = 'up' | 'degraded' | 'down' | 'unknown';

export interface StatusPart {
  readonly kind: PartKind;
  /** Of a gateway its name, of a country its code (ISO 3166); empty otherwise. */
  readonly name: string;
  readonly state: PartState;
}

export interface Status {
  readonly version: 1;
  /** When it was written; it is written anew every half minute. */
  readonly written_at: string;
  readonly brand: { readonly fa: string; readonly en: string };
  /** Whether the database was asked; if not, the parts that only it knows are unknown or down. */
  readonly database: 'up' | 'away';
  readonly parts: readonly StatusPart[];
}

export const WRITTEN_EVERY_MS = 30_000;
/** A page older than this says so. */
export const OLD_AFTER_SECONDS = 90;

/** The file that travels: the JSON text of the status, and its signature (Ed25519, RFC 8032, base64) over exactly that text. */
export interface SignedStatus {
  readonly signed: string;
  readonly signature: string;
}

export interface StatusKey {
  /** SubjectPublicKeyInfo in base64. */
  readonly publicKey: string;
  sign(status: Status): SignedStatus;
}

/** PKCS #8 around a seed of Ed25519 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The key stays the same when the master key is replaced, so that a mirror need not learn another one. */
export function openStatusKey(vault: Pick<Vault, 'derive'>): StatusKey {
  const seed = vault.derive('status page');
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  return {
    publicKey: createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64'),
    sign(status) {
      const signed = JSON.stringify(status);
      return { signed, signature: sign(null, Buffer.from(signed), key).toString('base64') };
    },
  };
}

/** The status, if this key signed it; undefined otherwise. Says nothing about its age. */
export function openSigned(text: string, publicKey: string): Status | undefined {
  try {
    const { signed, signature } = JSON.parse(text) as SignedStatus;
    const isSigned = verify(null, Buffer.from(signed), readKey(publicKey), Buffer.from(signature, 'base64'));
    return isSigned ? (JSON.parse(signed) as Status) : undefined;
  } catch {
    return undefined;
  }
}

function readKey(publicKey: string): KeyObject {
  return createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
}

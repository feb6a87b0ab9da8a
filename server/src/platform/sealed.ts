import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { newBytes } from './random.ts';

/**
 * Secrets at rest: AES-256-GCM under a key derived (HKDF, RFC 5869) from the master key, which is never in the database.
 * `context` names table, row and column and is authenticated, so that a sealed value cannot be moved elsewhere.
 */
export interface Vault {
  seal(plain: string, context: string): string;
  open(sealed: string, context: string): string;
  /** A key for another purpose (token signing, HMAC peppers), 32 bytes. */
  derive(purpose: string): Buffer;
  hmac(purpose: string, text: string): Buffer;
}

const VERSION = 'v1';

export function createVault(masterKey: string): Vault {
  const derived = new Map<string, Buffer>();
  const derive = (purpose: string): Buffer => {
    let key = derived.get(purpose);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', masterKey, 'raha', purpose, 32));
      derived.set(purpose, key);
    }
    return key;
  };
  return {
    derive,
    hmac: (purpose, text) => createHmac('sha256', derive(purpose)).update(text).digest(),
    seal(plain, context) {
      const nonce = newBytes(12);
      const cipher = createCipheriv('aes-256-gcm', derive('seal'), nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `${VERSION}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed, context) {
      const [version, data] = sealed.split('.');
      if (version !== VERSION || !data) throw new Error(`sealed value of an unknown form in ${context}`);
      const bytes = Buffer.from(data, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', derive('seal'), bytes.subarray(0, 12))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}

import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { newBytes } from './random.ts';

/**
 * Secrets at rest: AES-256-GCM under a key derived (HKDF, RFC 5869) from a master key, which is never in the database.
 * `context` names table, row and column and is authenticated, so that a sealed value cannot be moved elsewhere.
 *
 * While the master key is being replaced there are two or more: every one of them opens, one seals (decision 0049).
 */
export interface Vault {
  seal(plain: string, context: string): string;
  open(sealed: string, context: string): string;
  /** A key for another purpose, 32 bytes. It is derived from the root and stays the same when the master key is replaced. */
  derive(purpose: string): Buffer;
  hmac(purpose: string, text: string): Buffer;
  /** Signing keys for short-lived tokens, one per master key: the first one signs, each of them may verify. */
  signingKeys(purpose: string): readonly Buffer[];
  readonly keys: MasterKeys;
}

/** The master keys of a vault. An id is a fingerprint and no secret. */
export interface MasterKeys {
  /** Newest first. */
  readonly ids: readonly string[];
  readonly sealing: string;
  /** What sealed values of the sealing key begin with. */
  readonly prefix: string;
  /** Throws if there is no such key. */
  sealWith(id: string): void;
  /** The root for `derive`: until it is set, that of the oldest key. */
  root(): Buffer;
  setRoot(root: Buffer): void;
}

/** Values of the first releases, which do not name their key. */
const UNNAMED = 'v1';
const NAMED = 'v2';
const SALT = 'raha';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `masterKeys` has one key per line, the newest first. */
export function createVault(masterKeys: string): Vault {
  const ring = splitKeys(masterKeys).map(readKey);
  const [newest] = ring;
  const oldest = ring.at(-1);
  if (!newest || !oldest) throw new Error('a vault needs a master key');
  // Without a word from the database: the oldest key, which every process knows.
  let sealing = oldest;
  let root = oldest.root;
  /** Derived once, because every request asks for them. */
  const signing = new Map<string, { readonly first: Key; readonly keys: readonly Buffer[] }>();
  const find = (id: string) => ring.find((key) => key.id === id);
  const prefix = () => `${NAMED}.${sealing.id}.`;
  return {
    derive: (purpose) => expand(root, purpose),
    hmac: (purpose, text) => createHmac('sha256', expand(root, purpose)).update(text).digest(),
    signingKeys(purpose) {
      const known = signing.get(purpose);
      if (known?.first === sealing) return known.keys;
      const keys = [sealing, ...ring.filter((key) => key !== sealing)].map((key) => expand(key.root, purpose));
      signing.set(purpose, { first: sealing, keys });
      return keys;
    },
    seal(plain, context) {
      const nonce = newBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealing.seal, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return prefix() + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed, context) {
      const [version, second, third] = sealed.split('.');
      if (version === NAMED && third !== undefined) {
        const key = find(second ?? '');
        if (!key) throw new Error(`a value in ${context} is sealed with a master key that is not here`);
        return decrypt(key.seal, third, context);
      }
      if (version === UNNAMED && second) return tryKeys(ring, second, context);
      throw new Error(`sealed value of an unknown form in ${context}`);
    },
    keys: {
      ids: ring.map(({ id }) => id),
      get sealing() {
        return sealing.id;
      },
      get prefix() {
        return prefix();
      },
      sealWith(id) {
        const key = find(id);
        if (!key) throw new Error(`there is no master key ${id} here`);
        sealing = key;
      },
      root: () => root,
      setRoot(given) {
        root = given;
      },
    },
  };
}

/** The keys of a file or variable, without empty lines. */
export function splitKeys(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

interface Key {
  readonly id: string;
  /** HKDF's pseudorandom key. */
  readonly root: Buffer;
  readonly seal: Buffer;
}

function readKey(masterKey: string): Key {
  const root = createHmac('sha256', SALT).update(masterKey).digest();
  return { id: expand(root, 'key id').subarray(0, 6).toString('hex'), root, seal: expand(root, 'seal') };
}

/** HKDF-Expand for one block of SHA-256. */
function expand(root: Buffer, purpose: string): Buffer {
  return createHmac('sha256', root).update(purpose).update(Buffer.of(1)).digest();
}

function tryKeys(ring: readonly Key[], data: string, context: string): string {
  for (const [index, key] of ring.entries()) {
    try {
      return decrypt(key.seal, data, context);
    } catch (error) {
      if (index === ring.length - 1) throw error;
    }
  }
  throw new Error('a vault needs a master key');
}

function decrypt(key: Buffer, data: string, context: string): string {
  const bytes = Buffer.from(data, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const body = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
}

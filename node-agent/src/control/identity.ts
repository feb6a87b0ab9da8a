import { createHash, createPrivateKey, generateKeyPair, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import { createDurableFile, type DurableFile } from '../platform/durable-file.ts';

/** The node's keys and registration. All private keys are generated here and never leave the machine. */
export interface Identity {
  readonly signingKey: KeyObject;
  /** base64url, JWK `x`. */
  readonly signingPublicKey: string;
  /** base64, as in WireGuard's own files. */
  readonly wireguardPrivateKey: string;
  readonly wireguardPublicKey: string;
  /** The keys that the control plane certifies. */
  readonly tls: CertifiedKey;
  readonly ikev2: CertifiedKey;
  registration(): Registration | null;
  /** Whether this token has been exchanged already: restarting with the same arguments must enrol only once. */
  hasUsed(token: string): boolean;
  register(token: string, registration: Registration): Promise<void>;
}

export interface CertifiedKey {
  /** PKCS #8, PEM. */
  readonly privateKey: string;
  /** SubjectPublicKeyInfo in base64. */
  readonly publicKey: string;
}

export interface Registration {
  readonly nodeId: string;
  readonly generation: number;
  readonly settings: NodeSettings;
}

interface StoredIdentity {
  readonly signing: { readonly d: string; readonly x: string };
  readonly wireguard: { readonly privateKey: string; readonly publicKey: string };
  readonly tls: CertifiedKey;
  readonly ikev2: CertifiedKey;
  readonly registration: (Registration & { readonly tokenHash: string }) | null;
}

/**
 * Reads the identity, or creates one at the first start. Throws when it is damaged: with another identity all client
 * files on devices would be useless.
 */
export async function loadIdentity(directory: string): Promise<Identity> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = createDurableFile(join(directory, 'identity.json'));
  const stored = parse(file.read((text) => text));
  let current = await complete(stored ?? {});
  if (!stored?.ikev2) await write(file, current);
  const jwk = { kty: 'OKP', crv: 'Ed25519', d: current.signing.d, x: current.signing.x };
  return {
    signingKey: createPrivateKey({ key: jwk, format: 'jwk' }),
    signingPublicKey: current.signing.x,
    wireguardPrivateKey: current.wireguard.privateKey,
    wireguardPublicKey: current.wireguard.publicKey,
    tls: current.tls,
    ikev2: current.ikev2,
    registration: () => current.registration,
    hasUsed: (token) => current.registration?.tokenHash === hash(token),
    register: async (token, registration) => {
      current = { ...current, registration: { ...registration, tokenHash: hash(token) } };
      await write(file, current);
    },
  };
}

function parse(text: string | null): Partial<StoredIdentity> | null {
  if (text === null) return null;
  try {
    return JSON.parse(text) as Partial<StoredIdentity>;
  } catch {
    throw new Error('identity.json is damaged: restore it from a backup, or delete it and enrol the node again');
  }
}

/** Generates the keys that are missing. */
async function complete(stored: Partial<StoredIdentity>): Promise<StoredIdentity> {
  return {
    signing: stored.signing ?? makeSigningKeys(),
    wireguard: stored.wireguard ?? makeWireguardKeys(),
    tls: stored.tls ?? exportKeys(generateKeyPairSync('ec', { namedCurve: 'P-256' })),
    // Apple's clients accept an ECDSA certificate of a server only when their profile says so.
    ikev2: stored.ikev2 ?? exportKeys(await promisify(generateKeyPair)('rsa', { modulusLength: 3072 })),
    registration: stored.registration ?? null,
  };
}

function makeSigningKeys(): StoredIdentity['signing'] {
  const signing = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { d: signing.d as string, x: signing.x as string };
}

function makeWireguardKeys(): StoredIdentity['wireguard'] {
  const wireguard = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return { privateKey: toBase64(wireguard.d as string), publicKey: toBase64(wireguard.x as string) };
}

function exportKeys({ privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject }): CertifiedKey {
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  };
}

function write(file: DurableFile, identity: StoredIdentity): Promise<void> {
  return file.write(() => JSON.stringify(identity));
}

function toBase64(base64url: string): string {
  return Buffer.from(base64url, 'base64url').toString('base64');
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

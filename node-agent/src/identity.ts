import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import { createDurableFile, type DurableFile } from './spool.ts';

/** Who this node is. Both private keys are made here and never leave the machine. */
export interface Identity {
  readonly signingKey: KeyObject;
  /** base64url, JWK `x`. */
  readonly signingPublicKey: string;
  /** base64, as WireGuard writes it. */
  readonly wireguardPrivateKey: string;
  readonly wireguardPublicKey: string;
  registration(): Registration | null;
  /** Whether this token was already exchanged: restarting with the same arguments enrols once. */
  hasUsed(token: string): boolean;
  register(token: string, registration: Registration): Promise<void>;
}

export interface Registration {
  readonly nodeId: string;
  readonly generation: number;
  readonly settings: NodeSettings;
}

interface StoredIdentity {
  readonly signing: { readonly d: string; readonly x: string };
  readonly wireguard: { readonly privateKey: string; readonly publicKey: string };
  readonly registration: (Registration & { readonly tokenHash: string }) | null;
}

/** Reads the identity, or makes one at the first start. */
export async function loadIdentity(directory: string): Promise<Identity> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = createDurableFile(join(directory, 'identity.json'));
  let stored = file.read((text) => JSON.parse(text) as StoredIdentity);
  if (!stored) {
    stored = makeIdentity();
    await write(file, stored);
  }
  let current = stored;
  const jwk = { kty: 'OKP', crv: 'Ed25519', d: current.signing.d, x: current.signing.x };
  return {
    signingKey: createPrivateKey({ key: jwk, format: 'jwk' }),
    signingPublicKey: current.signing.x,
    wireguardPrivateKey: current.wireguard.privateKey,
    wireguardPublicKey: current.wireguard.publicKey,
    registration: () => current.registration,
    hasUsed: (token) => current.registration?.tokenHash === hash(token),
    register: async (token, registration) => {
      current = { ...current, registration: { ...registration, tokenHash: hash(token) } };
      await write(file, current);
    },
  };
}

function makeIdentity(): StoredIdentity {
  const signing = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const wireguard = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return {
    signing: { d: signing.d as string, x: signing.x as string },
    wireguard: { privateKey: toBase64(wireguard.d as string), publicKey: toBase64(wireguard.x as string) },
    registration: null,
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

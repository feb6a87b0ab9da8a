import { PRIVATE_KEY_PLACEHOLDER } from '@raha/contract/public/configs.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { ntHash } from '../../platform/nt-hash.ts';
import { newBytes } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { issueDeviceIdentity, readCertificateAuthority } from '../fleet/certificate-authority.ts';
import type { ServedProtocol } from '../fleet/rules.ts';
import { newKeyPair, newPresharedKey } from './wireguard-file.ts';

export interface ChosenKeys {
  /** Made by the client: the server never sees the private half. */
  readonly publicKey?: string | undefined;
  /** Whether the server keeps the pair it makes; true unless said otherwise. */
  readonly keepKey?: boolean | undefined;
}

export interface SealedKeys {
  /** By which the node knows the device: its public key, or its user name. */
  readonly publicKey: string;
  readonly presharedKeySealed: string;
  readonly privateKeySealed: string | null;
  readonly certificate: string | null;
  /** For the file that is handed out now: the key, or the placeholder that the client fills in. */
  readonly privateKeyForFile: string;
}

export interface KeyDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
}

/**
 * Keys of a config as they are stored. What is not to be kept leaves this function only in the file handed out. Refuses
 * `protocol_unavailable` where the node cannot let such a device in, or the device's own key where it has to be certified.
 */
export async function makeKeys(
  deps: KeyDeps,
  config: { readonly id: string; readonly protocol: ServedProtocol; readonly nodeId: string },
  chosen: ChosenKeys,
): Promise<SealedKeys> {
  switch (config.protocol) {
    case 'wireguard':
      return makeWireguardKeys(deps.vault, config.id, chosen);
    case 'openvpn':
      return await makeCertifiedKeys(deps, config, chosen);
    case 'ikev2':
      return await makePassword(deps, config, chosen);
  }
}

function makeWireguardKeys(vault: Vault, configId: string, chosen: ChosenKeys): SealedKeys {
  const presharedKeySealed = vault.seal(newPresharedKey(), presharedContext(configId));
  if (chosen.publicKey) {
    return {
      publicKey: chosen.publicKey,
      presharedKeySealed,
      privateKeySealed: null,
      certificate: null,
      privateKeyForFile: PRIVATE_KEY_PLACEHOLDER,
    };
  }
  const pair = newKeyPair();
  return {
    publicKey: pair.publicKey,
    presharedKeySealed,
    privateKeySealed: sealPrivateKey(vault, configId, pair.privateKey, chosen),
    certificate: null,
    privateKeyForFile: pair.privateKey,
  };
}

async function makeCertifiedKeys(
  deps: KeyDeps,
  config: { readonly id: string; readonly nodeId: string },
  chosen: ChosenKeys,
): Promise<SealedKeys> {
  const identity = chosen.publicKey === undefined ? await issueDeviceIdentity(deps, config.nodeId) : undefined;
  if (!identity) throw new Refusal('protocol_unavailable', { fields: { protocol: 'invalid' } });
  return {
    publicKey: identity.publicKey,
    presharedKeySealed: deps.vault.seal(identity.tlsCryptKey, presharedContext(config.id)),
    privateKeySealed: sealPrivateKey(deps.vault, config.id, identity.privateKey, chosen),
    certificate: identity.certificate,
    privateKeyForFile: identity.privateKey,
  };
}

const USER_NAME_LETTERS = 16;
const PASSWORD_LETTERS = 24;

/**
 * A user name and a password, which are the device's alone. What the node checks the password with is kept in any case;
 * the password itself where it is to be downloaded again.
 */
async function makePassword(
  deps: KeyDeps,
  config: { readonly id: string; readonly nodeId: string },
  chosen: ChosenKeys,
): Promise<SealedKeys> {
  const isReady = chosen.publicKey === undefined && (await readCertificateAuthority(deps.db, config.nodeId));
  if (!isReady) throw new Refusal('protocol_unavailable', { fields: { protocol: 'invalid' } });
  const password = newLetters(PASSWORD_LETTERS);
  return {
    publicKey: newLetters(USER_NAME_LETTERS),
    presharedKeySealed: deps.vault.seal(ntHash(password), presharedContext(config.id)),
    privateKeySealed: sealPrivateKey(deps.vault, config.id, password, chosen),
    certificate: null,
    privateKeyForFile: password,
  };
}

/** Without those that are taken for each other (Crockford's base 32); five random bits each. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

function newLetters(count: number): string {
  return [...newBytes(count)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}

function sealPrivateKey(vault: Vault, configId: string, privateKey: string, chosen: ChosenKeys): string | null {
  return (chosen.keepKey ?? true) ? vault.seal(privateKey, privateContext(configId)) : null;
}

export function openPresharedKey(vault: Vault, config: { id: string; client_secret_sealed: string }): string {
  return vault.open(config.client_secret_sealed, presharedContext(config.id));
}

export function openPrivateKey(
  vault: Vault,
  config: { id: string; private_key_sealed: string | null },
): string | undefined {
  return config.private_key_sealed === null
    ? undefined
    : vault.open(config.private_key_sealed, privateContext(config.id));
}

const presharedContext = (configId: string) => `config/preshared_key/${configId}`;
const privateContext = (configId: string) => `config/private_key/${configId}`;

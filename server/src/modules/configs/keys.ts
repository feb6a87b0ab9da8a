import { PRIVATE_KEY_PLACEHOLDER } from '@raha/contract/public/configs.ts';
import type { Vault } from '../../platform/sealed.ts';
import { newKeyPair, newPresharedKey } from './wireguard-file.ts';

export interface ChosenKeys {
  /** Made by the client: the server never sees the private half. */
  readonly publicKey?: string | undefined;
  /** Whether the server keeps the pair it makes; true unless said otherwise. */
  readonly keepKey?: boolean | undefined;
}

export interface SealedKeys {
  readonly publicKey: string;
  readonly presharedKeySealed: string;
  readonly privateKeySealed: string | null;
  /** For the file that is handed out now: the key, or the placeholder that the client fills in. */
  readonly privateKeyForFile: string;
}

/** Keys of a config as they are stored. What is not to be kept leaves this function only in the file handed out. */
export function sealKeys(vault: Vault, configId: string, chosen: ChosenKeys): SealedKeys {
  const presharedKeySealed = vault.seal(newPresharedKey(), presharedContext(configId));
  if (chosen.publicKey) {
    return {
      publicKey: chosen.publicKey,
      presharedKeySealed,
      privateKeySealed: null,
      privateKeyForFile: PRIVATE_KEY_PLACEHOLDER,
    };
  }
  const pair = newKeyPair();
  const kept = chosen.keepKey ?? true;
  return {
    publicKey: pair.publicKey,
    presharedKeySealed,
    privateKeySealed: kept ? vault.seal(pair.privateKey, privateContext(configId)) : null,
    privateKeyForFile: pair.privateKey,
  };
}

export function openPresharedKey(vault: Vault, config: { id: string; preshared_key_sealed: string }): string {
  return vault.open(config.preshared_key_sealed, presharedContext(config.id));
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

import { type Config, PRIVATE_KEY_PLACEHOLDER } from '@raha/contract/public/configs.ts';
import type { Issued } from './open-dialog.ts';
import { makeKeyPair } from './wireguard-keys.ts';

interface Answer {
  readonly data: { readonly config: Config; readonly file: string; readonly filename: string };
}
type Keys = { publicKey: string } | { keepKey: true };

/**
 * Asks for a config, or a reset of one. With `deviceOnly` the key pair is made here: the server hears the public key
 * only, and the private one is filled into the file in this browser and then forgotten.
 */
export async function issueConfig(
  deviceOnly: boolean,
  ask: (keys: Keys) => Promise<Answer>,
): Promise<{ config: Config; issued: Issued }> {
  if (!deviceOnly) {
    const { config, file, filename } = (await ask({ keepKey: true })).data;
    return { config, issued: { file, filename, once: false } };
  }
  const { publicKey, privateKey } = await makeKeyPair();
  const { config, file, filename } = (await ask({ publicKey })).data;
  return { config, issued: { file: file.replace(PRIVATE_KEY_PLACEHOLDER, privateKey), filename, once: true } };
}

import { apiBase } from 'virtual:endpoints';
import type { Config, ProfileSystem } from '@raha/contract/public/configs.ts';
import { fetchFile } from '../shared/save-file.ts';
import { filenameOf } from './config-file.ts';
import { keepSavedFile } from './known-file.ts';

/** Hands a profile of IKEv2 over as it comes: one that is signed is no text. */
export async function saveProfile(config: Config, system: ProfileSystem): Promise<void> {
  const address = `${apiBase}/user/configs/${config.id}/download?system=${system}`;
  const filename = filenameOf(config, system);
  void keepSavedFile(config, filename, await fetchFile(filename, address, '*/*'));
}

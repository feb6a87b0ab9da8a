import type { Config } from '@raha/contract/public/configs.ts';
import { type KnownFile, keepFile } from '../../../api/last-known.ts';
import { meQuery } from '../../../api/me.ts';
import { queryClient } from '../../../api/query-client.ts';
import { isOnDeviceOnly } from './config-file.ts';

/**
 * Keeps a file that is being saved on this device, so that it can be saved again without network. A file whose key we never had
 * is shown once, and forgotten here as well.
 */
export async function keepSavedFile(config: Config, filename: string, content: string | Blob): Promise<void> {
  const user = queryClient.getQueryData(meQuery.queryKey);
  if (!user || isOnDeviceOnly(config)) return;
  const blob = typeof content === 'string' ? new Blob([content], { type: 'application/octet-stream' }) : content;
  const { id: configId, name: configName, server } = config;
  keepFile(user.id, { configId, configName, location: server.location, filename, content: await dataAddress(blob) });
}

/** The file as it came, with its type. */
export function blobOf({ content }: KnownFile): Blob {
  const [head = '', base64 = ''] = content.split(',');
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Blob([bytes], { type: /^data:([^;]*)/.exec(head)?.[1] ?? 'application/octet-stream' });
}

function dataAddress(blob: Blob): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result));
    reader.onerror = () => fail(reader.error ?? new Error('a blob could not be read'));
    reader.readAsDataURL(blob);
  });
}

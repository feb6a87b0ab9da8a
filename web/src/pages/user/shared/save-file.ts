import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { sessionFetch } from '../../../api/session-fetch.ts';

/** Hands something over as a file; a text as one that no browser opens or renames. */
export function saveFile(filename: string, content: string | Blob): void {
  const blob = typeof content === 'string' ? new Blob([content], { type: 'application/octet-stream' }) : content;
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Fetches a file with the session and hands it over as it is, byte order mark and all. Throws what the calls do. */
export async function fetchFile(filename: string, address: string, type: string): Promise<Blob> {
  const signal = AbortSignal.timeout(limits.http.transferTimeoutMs);
  const response = await sessionFetch(address, { headers: { accept: type }, signal }).catch(refuse);
  if (!response.ok) {
    const refusal = (await response.json().catch(() => ({}))) as { message?: string };
    throw new ApiError(response.status, 'unknown', refusal.message ?? 'unknown');
  }
  const file = await response.blob().catch(refuse);
  saveFile(filename, file);
  return file;
}

function refuse(): never {
  throw new ApiError(0, 'network', 'network');
}

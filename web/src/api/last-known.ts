import type { Dashboard } from '@raha/contract/public/dashboard.ts';
import { forgetLastKnown } from './forget-last-known.ts';
import { readUser } from './session.ts';

/**
 * What the panel shows without network: the figures of the last visit and the files that were saved on this device. It is in this
 * browser only, belongs to the user who is signed in, and is gone with the session; what belongs to anybody else is deleted
 * wherever it is met.
 */
interface LastKnown {
  readonly userId: string;
  readonly figures?: { readonly at: number; readonly dashboard: Dashboard };
  readonly files: readonly KnownFile[];
}

export interface KnownFile {
  readonly configId: string;
  readonly configName: string;
  readonly location: Dashboard['activeConfigs'][number]['server']['location'];
  readonly filename: string;
  /** As a `data:` address: a signed profile is no text. */
  readonly content: string;
}

const KEY = 'last-known';

export function readLastKnown(): LastKnown | undefined {
  const userId = readUser()?.id;
  try {
    const known = JSON.parse(localStorage.getItem(KEY) ?? 'null') as LastKnown | null;
    if (known && known.userId === userId) return known;
    if (known) forgetLastKnown();
  } catch {
    forgetLastKnown();
  }
  return undefined;
}

export function keepFigures(dashboard: Dashboard, at: number): void {
  if (dashboard.user.id !== readUser()?.id) return;
  write({ ...known(dashboard.user.id), figures: { at, dashboard } });
}

/** `userId`: for whom the file was fetched. */
export function keepFile(userId: string, file: KnownFile): void {
  if (userId !== readUser()?.id) return;
  const before = known(userId);
  write({ ...before, files: [file, ...before.files.filter(({ configId }) => configId !== file.configId)] });
}

/** `stays`: whether the file of a config still opens it; after new keys or a deletion it does not. */
export function dropFiles(stays: (configId: string) => boolean): void {
  const before = readLastKnown();
  const files = before?.files.filter(({ configId }) => stays(configId));
  if (before && files && files.length < before.files.length) write({ ...before, files });
}

function known(userId: string): LastKnown {
  return readLastKnown() ?? { userId, files: [] };
}

function write(value: LastKnown): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(value));
  } catch {
    // Forbidden or full: without network there is then nothing to show.
  }
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createNewestWrite } from './newest-write.ts';

export interface DurableFile {
  /** Null when there is no such file, or `decode` rejects its text. Throws when it cannot be read. */
  read<T>(decode: (text: string, from: Store) => T): T | null;
  /** Resolves when this text, or a later one, is on disk (or in the fallback). */
  write(encode: () => string): Promise<void>;
  /** Says where it is now. Callers do not let two overlap. */
  replace(text: string): Promise<Store>;
}

export type Store = 'disk' | 'fallback';

/**
 * A file that is replaced as a whole. Writes run one after the other; of those that wait, only the newest is written. While
 * the disk is full the text is kept in `fallback`, a file in memory (/run): a killed agent finds it there, and only a
 * reboot goes back to what the disk has.
 */
export function createDurableFile(path: string, fallback?: string): DurableFile {
  return {
    read: (decode) => {
      const found = fallback ? readNewest(path, fallback) : readDisk(path);
      if (found === null) return null;
      try {
        return decode(found.text, found.from);
      } catch {
        return null;
      }
    },
    write: createNewestWrite(async (encode: () => string) => {
      await keep(path, encode(), fallback);
    }),
    replace: (text) => keep(path, text, fallback),
  };
}

function readDisk(path: string): { readonly text: string; readonly from: Store } | null {
  const text = readIfPresent(path);
  return text === null ? null : { text, from: 'disk' };
}

/** A file that exists but cannot be read is an error: taking it for absent would overwrite it. */
export function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function keep(path: string, text: string, fallback: string | undefined): Promise<Store> {
  try {
    await replaceFile(path, text);
  } catch (error) {
    if (!fallback || !isDiskFull(error)) throw error;
    const present = readIfPresent(path);
    if (present === null) throw error;
    await mkdir(dirname(fallback), { recursive: true });
    await replaceFile(fallback, `${hashOf(present)}\n${text}`);
    return 'fallback';
  }
  if (fallback) await rm(fallback, { force: true });
  return 'disk';
}

/**
 * The fallback begins with the hash of the text on disk that it follows. When the disk has another text, or none, the
 * fallback is out of date: its agent was killed before it could delete it, or another agent has written since.
 */
function readNewest(path: string, fallback: string): { readonly text: string; readonly from: Store } | null {
  const found = readDisk(path);
  if (found === null) return null;
  const head = `${hashOf(found.text)}\n`;
  const kept = readIfPresent(fallback);
  return kept?.startsWith(head) ? { text: kept.slice(head.length), from: 'fallback' } : found;
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** After a crash the old file or the new one is there, complete (write, fsync, rename, fsync of the directory). */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncDirectory(path);
}

/** Of a file: its name is durable then. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(dirname(path), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

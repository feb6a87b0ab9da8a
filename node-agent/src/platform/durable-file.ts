import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface DurableFile {
  /** Null when there is no such file, or `decode` rejects its text. Throws when it cannot be read. */
  read<T>(decode: (text: string) => T): T | null;
  /** Resolves when this text, or a later one, is on disk (or in the fallback). */
  write(encode: () => string): Promise<void>;
}

/**
 * A file that is replaced as a whole. Writes run one after the other; of those that wait, only the newest is written. While
 * the disk is full the text is kept in `fallback`, a file in memory (/run): a killed agent finds it there, and only a
 * reboot goes back to what the disk has.
 */
export function createDurableFile(path: string, fallback?: string): DurableFile {
  let running: Promise<void> | undefined;
  let next: { encode: () => string; done: Promise<void> } | undefined;

  const store = (text: string): Promise<void> => {
    running = keep(path, text, fallback).finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    read: (decode) => {
      const text = fallback ? readNewest(path, fallback) : readIfPresent(path);
      if (text === null) return null;
      try {
        return decode(text);
      } catch {
        return null;
      }
    },
    write: (encode) => {
      if (!running) return store(encode());
      if (next) {
        next.encode = encode;
        return next.done;
      }
      const waiting = { encode, done: Promise.resolve() };
      waiting.done = running
        .catch(() => {})
        .then(() => {
          next = undefined;
          return store(waiting.encode());
        });
      next = waiting;
      return waiting.done;
    },
  };
}

/** A file that exists but cannot be read is an error: taking it for absent would overwrite it. */
function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function keep(path: string, text: string, fallback: string | undefined): Promise<void> {
  try {
    await replaceFile(path, text);
  } catch (error) {
    if (!fallback || !isDiskFull(error)) throw error;
    const present = readIfPresent(path);
    if (present === null) throw error;
    await mkdir(dirname(fallback), { recursive: true });
    await replaceFile(fallback, `${hashOf(present)}\n${text}`);
    return;
  }
  if (fallback) await rm(fallback, { force: true });
}

/**
 * The fallback begins with the hash of the text on disk that it follows. When the disk has another text, or none, the
 * fallback is out of date: its agent was killed before it could delete it, or another agent has written since.
 */
function readNewest(path: string, fallback: string): string | null {
  const text = readIfPresent(path);
  if (text === null) return null;
  const head = `${hashOf(text)}\n`;
  const kept = readIfPresent(fallback);
  return kept?.startsWith(head) ? kept.slice(head.length) : text;
}

function hashOf(text: string): string {
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
  const directory = await open(join(path, '..'), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

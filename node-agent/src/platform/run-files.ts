import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Small files in memory (/run), through which daemons and successive agents find each other. */

/** Replaces the file atomically, because a daemon may read it at any time. The umask does not affect the mode. */
export function replaceRunFile(path: string, text: string, mode = 0o600): void {
  const temporary = `${path}.new`;
  writeFileSync(temporary, text, { mode });
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}

/** Undefined when there is no such file. */
export function readRunFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

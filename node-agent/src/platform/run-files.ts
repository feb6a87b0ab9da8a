import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Small files in memory (/run), by which daemons and the agents that come and go know of each other. */

/** Whole or not at all: a daemon may look at any time. The umask does not decide about the mode. */
export function replaceRunFile(path: string, text: string, mode = 0o600): void {
  const temporary = `${path}.new`;
  writeFileSync(temporary, text, { mode });
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}

/** Undefined where there is none. */
export function readRunFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

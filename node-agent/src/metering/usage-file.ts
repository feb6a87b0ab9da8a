import { type FileHandle, open } from 'node:fs/promises';
import { createDurableFile, hashOf, readIfPresent, syncDirectory } from '../platform/durable-file.ts';
import { createNewestWrite } from '../platform/newest-write.ts';
import { applyChanges, encodeChange } from './usage-change.ts';
import { decodeUsage, encodeUsage, type UsageState } from './usage-state.ts';

/** The usage on disk: a whole state, and a journal of what has changed since, so that a write costs what has changed. */
export interface UsageFile {
  /** Null when there is none, or it is damaged. Of the journal counts what is complete. */
  read(): UsageState | null;
  /** Resolves when this state, or a later one, is on disk; while the disk is full: in memory, where it survives the agent. */
  write(state: UsageState): Promise<void>;
}

interface Paths {
  readonly path: string;
  readonly journalPath: string;
  readonly fallback: string;
}

/** The journal may grow to the size of the whole state, and to this much beside a small one. */
const MIN_ROOM = 65_536;

/**
 * The journal begins with the hash of the whole state that it follows: with another one it is out of date. When it is full, or a line of
 * it could not be written, the whole state is written, which makes the journal out of date.
 */
export function createUsageFile({ path, journalPath, fallback }: Paths): UsageFile {
  const whole = createDurableFile(path, fallback);
  /** What the disk has; undefined: not known, or only in memory. */
  let written: UsageState | undefined;
  let hash = '';
  let room = 0;
  let journal: FileHandle | undefined;

  async function writeWhole(state: UsageState): Promise<void> {
    written = undefined;
    const old = journal;
    journal = undefined;
    await old?.close().catch(() => {});
    const text = encodeUsage(state);
    if ((await whole.replace(text)) !== 'disk') return;
    written = state;
    hash = hashOf(text);
    room = Math.max(text.length, MIN_ROOM);
  }

  async function append(line: string): Promise<void> {
    if (!journal) {
      journal = await open(journalPath, 'w', 0o600);
      await journal.appendFile(`${hash}\n`);
      await syncDirectory(journalPath);
    }
    await journal.appendFile(line);
    await journal.datasync();
    room -= line.length;
  }

  return {
    read: () =>
      whole.read((text, from) => {
        const state = decodeUsage(text);
        // What is in memory was written after the journal.
        return from === 'disk' ? replay(state, readIfPresent(journalPath), hashOf(text)) : state;
      }),
    write: createNewestWrite(async (state: UsageState) => {
      const line = written && `${encodeChange(written, state)}\n`;
      if (line === undefined || line.length > room) {
        await writeWhole(state);
        return;
      }
      try {
        await append(line);
        written = state;
      } catch {
        await writeWhole(state);
      }
    }),
  };
}

/** The last line may be cut short: the machine went down while it was written. */
function replay(state: UsageState, journal: string | null, hash: string): UsageState {
  const [head, ...lines] = (journal ?? '').split('\n').slice(0, -1);
  if (head !== hash) return state;
  return applyChanges(state, lines);
}

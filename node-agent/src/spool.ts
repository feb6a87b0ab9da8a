import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { PeerIdentity } from './plan.ts';
import { decodeUsage, encodeUsage, type UsageState } from './usage-state.ts';

/** The wanted state as last applied, so that a node without its control plane serves on after a reboot. */
export interface WantedState {
  readonly generation: number;
  readonly settings: NodeSettings;
  readonly peers: readonly PeerIdentity[];
}

/** The agent's durable memory: one small file per thing, replaced whole. */
export interface Spool {
  /** Null when there is none, or none that is whole. */
  readUsage(): UsageState | null;
  /** Resolves when this state, or a later one, is on disk. */
  writeUsage(state: UsageState): Promise<void>;
  readWanted(): WantedState | null;
  writeWanted(wanted: WantedState): Promise<void>;
  forget(): void;
}

export function openSpool(directory: string): Spool {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const usageFile = createDurableFile(join(directory, 'usage.json'));
  const wantedFile = createDurableFile(join(directory, 'wanted.json'));
  return {
    readUsage: () => usageFile.read(decodeUsage),
    writeUsage: (state) => usageFile.write(() => encodeUsage(state)),
    readWanted: () => wantedFile.read(decodeWanted),
    writeWanted: (wanted) => wantedFile.write(() => JSON.stringify(wanted)),
    forget: () => {
      for (const name of ['usage.json', 'wanted.json']) rmSync(join(directory, name), { force: true });
    },
  };
}

/** What was written before there were other protocols names none. */
function decodeWanted(text: string): WantedState {
  const wanted = JSON.parse(text) as WantedState;
  return { ...wanted, peers: wanted.peers.map((peer) => Object.assign({ protocol: 'wireguard' }, peer)) };
}

export interface DurableFile {
  /** Null when there is no such file, or none that is whole. Throws when it cannot be read. */
  read<T>(decode: (text: string) => T): T | null;
  write(encode: () => string): Promise<void>;
}

/** What is there and cannot be read is not nothing: who took it for that would write over it. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Writes one after the other; of those that wait, only the newest is written. */
export function createDurableFile(path: string): DurableFile {
  let running: Promise<void> | undefined;
  let next: { encode: () => string; done: Promise<void> } | undefined;

  return {
    read: (decode) => {
      const text = readIfThere(path);
      if (text === null) return null;
      try {
        return decode(text);
      } catch {
        return null;
      }
    },
    write: (encode) => {
      if (!running) {
        running = replaceFile(path, encode()).finally(() => {
          running = undefined;
        });
        return running;
      }
      if (next) {
        next.encode = encode;
        return next.done;
      }
      const waiting = { encode, done: Promise.resolve() };
      waiting.done = running
        .catch(() => {})
        .then(() => {
          next = undefined;
          running = replaceFile(path, waiting.encode()).finally(() => {
            running = undefined;
          });
          return running;
        });
      next = waiting;
      return waiting.done;
    },
  };
}

/** After a crash there is the old file or the new one, whole (write, fsync, rename, fsync of the folder). */
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
  const folder = await open(join(path, '..'), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

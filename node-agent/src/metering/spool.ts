import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import { NODE_PROTOCOL_VERSION } from '@raha/contract/node/versions.ts';
import type { PeerIdentity } from '../control/plan.ts';
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
  /** Resolves when this state, or a later one, is on disk; on a full one: in memory, where it survives the agent. */
  writeUsage(state: UsageState): Promise<void>;
  readWanted(): WantedState | null;
  writeWanted(wanted: WantedState): Promise<void>;
  forget(): void;
}

/** `usageAside`: a file in memory (/run) for the usage while there is no room for it in the directory. */
export function openSpool(directory: string, usageAside: string): Spool {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const usageFile = createDurableFile(join(directory, 'usage.json'), usageAside);
  const wantedFile = createDurableFile(join(directory, 'wanted.json'));
  return {
    readUsage: () => usageFile.read(decodeUsage),
    writeUsage: (state) => usageFile.write(() => encodeUsage(state)),
    readWanted: () => wantedFile.read(decodeWanted),
    writeWanted: (wanted) => wantedFile.write(() => JSON.stringify({ protocol: NODE_PROTOCOL_VERSION, ...wanted })),
    forget: () => {
      const files = ['usage.json', 'wanted.json'].map((name) => join(directory, name));
      for (const path of [usageAside, ...files]) rmSync(path, { force: true });
    },
  };
}

/** Throws for the settings of another protocol version. */
function decodeWanted(text: string): WantedState {
  const { protocol, ...wanted } = JSON.parse(text) as WantedState & { readonly protocol: number };
  if (protocol !== NODE_PROTOCOL_VERSION) throw new Error('the desired state was stored for another protocol version');
  return wanted;
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

/**
 * Writes one after the other; of those that wait, only the newest is written. Where there is no room the text is kept
 * `aside` until there is: a killed agent finds it there, and only a reboot goes back to what the disk has.
 */
export function createDurableFile(path: string, aside?: string): DurableFile {
  let running: Promise<void> | undefined;
  let next: { encode: () => string; done: Promise<void> } | undefined;

  return {
    read: (decode) => {
      const text = aside ? readNewer(path, aside) : readIfThere(path);
      if (text === null) return null;
      try {
        return decode(text);
      } catch {
        return null;
      }
    },
    write: (encode) => {
      if (!running) {
        running = keep(path, encode(), aside).finally(() => {
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
          running = keep(path, waiting.encode(), aside).finally(() => {
            running = undefined;
          });
          return running;
        });
      next = waiting;
      return waiting.done;
    },
  };
}

async function keep(path: string, text: string, aside: string | undefined): Promise<void> {
  try {
    await replaceFile(path, text);
  } catch (error) {
    if (!aside || !isForWantOfRoom(error)) throw error;
    const stands = readIfThere(path);
    if (stands === null) throw error;
    await mkdir(dirname(aside), { recursive: true });
    await replaceFile(aside, `${nameOf(stands)}\n${text}`);
    return;
  }
  if (aside) await rm(aside, { force: true });
}

/**
 * What is aside begins with the name of the text on disk that it came after. Where the disk has another, or none, it is out
 * of date: its agent was killed before it could take it away, or another one has written since, or for another node.
 */
function readNewer(path: string, aside: string): string | null {
  const text = readIfThere(path);
  if (text === null) return null;
  const head = `${nameOf(text)}\n`;
  const kept = readIfThere(aside);
  return kept?.startsWith(head) ? kept.slice(head.length) : text;
}

function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function isForWantOfRoom(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
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

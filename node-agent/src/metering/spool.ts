import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import { NODE_PROTOCOL_VERSION } from '@raha/contract/node/versions.ts';
import type { PeerIdentity } from '../control/plan.ts';
import { createDurableFile } from '../platform/durable-file.ts';
import { createUsageFile } from './usage-file.ts';
import type { UsageState } from './usage-state.ts';

/** The desired state as last applied, so that a node goes on serving without its control plane after a reboot. */
export interface StoredState {
  readonly generation: number;
  readonly settings: NodeSettings;
  readonly peers: readonly PeerIdentity[];
}

/** The agent's durable memory: a file per thing, and beside the usage a journal of its changes. */
export interface Spool {
  /** Null when there is none, or it is damaged. */
  readUsage(): UsageState | null;
  /** Resolves when this state, or a later one, is on disk; while the disk is full: in memory, where it survives the agent. */
  writeUsage(state: UsageState): Promise<void>;
  readDesired(): StoredState | null;
  writeDesired(state: StoredState): Promise<void>;
  forget(): void;
}

/** `usageFallback`: a file in memory (/run) for the usage while the directory's disk is full. */
export function openSpool(directory: string, usageFallback: string): Spool {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const [usagePath, desiredPath] = [join(directory, 'usage.json'), join(directory, 'desired.json')];
  const journalPath = join(directory, 'usage.journal');
  const usageFile = createUsageFile({ path: usagePath, journalPath, fallback: usageFallback });
  const desiredFile = createDurableFile(desiredPath);
  return {
    readUsage: () => usageFile.read(),
    writeUsage: (state) => usageFile.write(state),
    readDesired: () => desiredFile.read(decodeDesired),
    writeDesired: (state) => desiredFile.write(() => JSON.stringify({ protocol: NODE_PROTOCOL_VERSION, ...state })),
    forget: () => {
      for (const path of [usageFallback, journalPath, usagePath, desiredPath]) rmSync(path, { force: true });
    },
  };
}

/** Throws for the state of another protocol version. */
function decodeDesired(text: string): StoredState {
  const { protocol, ...state } = JSON.parse(text) as StoredState & { readonly protocol: number };
  if (protocol !== NODE_PROTOCOL_VERSION) throw new Error('the desired state was stored for another protocol version');
  return state;
}

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, open, rename, rm, writeFile } from 'node:fs/promises';
import type { Log } from '../platform/log.ts';
import type { Shell } from '../platform/shell.ts';

/**
 * The agent is a single file beside the installer's start script (`/opt/raha/run`). It replaces its own file and exits;
 * the service starts the new one, which adopts the running tunnels. The start script counts in `.unproved` how often a
 * new agent was started that has not reached the control plane. After three starts it restores the previous agent, and
 * writes the hash of the failed one to `.refused`.
 */
export interface Upgrader {
  /** SHA-256 of the running file in hex; undefined when the agent runs from its sources and cannot be replaced. */
  readonly current: string | undefined;
  /** Installs another agent in place of this one. True: exit now, so that the new one is started. */
  replace(desired: string): Promise<boolean>;
  /** The agent has reached the control plane: it stays. */
  prove(): Promise<void>;
  readonly isUnproved: boolean;
}

interface UpgradeDeps {
  readonly shell: Pick<Shell, 'run'>;
  readonly log: Log;
  download(): Promise<Buffer>;
}

export function createUpgrader(deps: UpgradeDeps, file: string | undefined): Upgrader {
  const current = file?.endsWith('.mjs') && existsSync(file) ? hashOf(readFileSync(file)) : undefined;
  const beside = (what: string) => `${file}.${what}`;
  let isUnproved = current !== undefined && existsSync(beside('unproved'));
  return {
    current,
    get isUnproved() {
      return isUnproved;
    },
    prove: async () => {
      if (!isUnproved) return;
      await rm(beside('unproved'), { force: true });
      isUnproved = false;
      deps.log.info('upgrade_proved', { agent: current?.slice(0, 8) ?? '' });
    },
    replace: async (desired) => {
      if (!file || !current || desired === current || isRefused(beside('refused'), desired)) return false;
      const fresh = await deps.download();
      if (hashOf(fresh) !== desired) throw new Error('the downloaded agent is not the desired one');
      await writeDurably(beside('part.mjs'), fresh);
      // An agent that does not even start with this machine's runtime is not installed.
      await deps.shell.run(process.execPath, [beside('part.mjs'), '--version'], { timeoutMs: 10_000 });
      await copyFile(file, beside('previous'));
      await writeFile(beside('unproved'), '0');
      await rename(beside('part.mjs'), file);
      deps.log.info('upgraded', { from: current.slice(0, 8), to: desired.slice(0, 8) });
      return true;
    },
  };
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function isRefused(path: string, hash: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8').trim() === hash;
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const handle = await open(path, 'w', 0o755);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

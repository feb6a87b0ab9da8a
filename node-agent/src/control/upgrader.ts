import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, open, rename, rm, writeFile } from 'node:fs/promises';
import type { Log } from '../platform/log.ts';
import type { Shell } from '../platform/shell.ts';

/**
 * The agent is one file, beside a starter of the installer's (`/opt/raha/run`). It replaces its own file and ends; the
 * service starts the new one, which adopts the running tunnels. A new one that does not reach the control plane is
 * counted in `.unproved` by the starter, which brings the one before back and writes into `.refused` what did not work.
 */
export interface Upgrader {
  /** SHA-256 of the running file in hex; undefined where there is none to replace: it runs from its sources. */
  readonly current: string | undefined;
  /** Puts another agent in this one's place. True: end now, and be started as the new one. */
  replace(wanted: string): Promise<boolean>;
  /** It has reached the control plane: it is here to stay. */
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
    replace: async (wanted) => {
      if (!file || !current || wanted === current || isRefused(beside('refused'), wanted)) return false;
      const fresh = await deps.download();
      if (hashOf(fresh) !== wanted) throw new Error('the agent that was sent is not the one that is wanted');
      await writeDurably(beside('part.mjs'), fresh);
      // What does not even start here, on this machine's runtime, is not put in place.
      await deps.shell.run(process.execPath, [beside('part.mjs'), '--version'], { timeoutMs: 10_000 });
      await copyFile(file, beside('previous'));
      await writeFile(beside('unproved'), '0');
      await rename(beside('part.mjs'), file);
      deps.log.info('upgraded', { from: current.slice(0, 8), to: wanted.slice(0, 8) });
      return true;
    },
  };
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function isRefused(path: string, wanted: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8').trim() === wanted;
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

import { existsSync, readFileSync } from 'node:fs';
import { copyFile, open, rename, rm, writeFile } from 'node:fs/promises';
import { AGENT_MAX_BYTES, MANIFEST_MAX_BYTES, type ReleaseRefusal, releaseFiles } from '@raha/contract/node/release.ts';
import type { Log } from '../platform/log.ts';
import type { Shell } from '../platform/shell.ts';
import { checkAgent, checkManifest, hashOf, ReleaseRefused } from './release-check.ts';

/**
 * The agent is a single file beside the installer's start script (`/opt/raha/run`). It replaces its own file and exits;
 * the service starts the new one, which adopts the running tunnels. The start script counts in `.unproved` how often a
 * new agent was started that has not reached the control plane. After three starts it restores the previous agent, and
 * writes the hash of the failed one to `.refused`.
 *
 * Only an agent of a signed release is installed, and `.release` keeps the number of the latest one: no older release comes
 * after it, not even one with a good signature.
 */
export interface Upgrader {
  /** SHA-256 of the running file in hex; undefined when the agent runs from its sources and cannot be replaced. */
  readonly current: string | undefined;
  /** Installs another agent in place of this one. True: exit now, so that the new one is started. */
  replace(desired: string): Promise<boolean>;
  /** The agent has reached the control plane: it stays. */
  prove(): Promise<void>;
  readonly isUnproved: boolean;
  /** Why the release that was offered last is not installed. */
  readonly refusal: ReleaseRefusal | undefined;
}

interface UpgradeDeps {
  readonly shell: Pick<Shell, 'run'>;
  readonly log: Log;
  /** The file with the public key that this machine trusts. */
  readonly keyFile: string;
  /** Downloads a file of the offered release; throws if it has more bytes than `maxBytes`. */
  download(name: string, maxBytes: number): Promise<Buffer>;
  /** Whether the control plane answered, and had no such file. */
  isAbsent(error: unknown): boolean;
}

export function createUpgrader(deps: UpgradeDeps, file: string | undefined): Upgrader {
  const current = file?.endsWith('.mjs') && existsSync(file) ? hashOf(readFileSync(file)) : undefined;
  const beside = (what: string) => `${file}.${what}`;
  let isUnproved = current !== undefined && existsSync(beside('unproved'));
  let refusal: ReleaseRefusal | undefined;

  async function downloadChecked(desired: string): Promise<{ agent: Buffer; release: number }> {
    const trust = { publicKey: readText(deps.keyFile), oldest: Number(readText(beside('release')) ?? 0) };
    const fetch = (name: string, maxBytes: number) =>
      deps.download(name, maxBytes).catch((error: unknown) => {
        throw deps.isAbsent(error) ? new ReleaseRefused('unsigned') : error;
      });
    const signature = await fetch(releaseFiles.signature, 1_024);
    const manifest = checkManifest(await fetch(releaseFiles.manifest, MANIFEST_MAX_BYTES), signature, trust);
    const agent = await fetch(releaseFiles.agent, AGENT_MAX_BYTES);
    checkAgent(agent, manifest, desired);
    return { agent, release: manifest.release };
  }

  return {
    current,
    get isUnproved() {
      return isUnproved;
    },
    get refusal() {
      return refusal;
    },
    prove: async () => {
      if (!isUnproved) return;
      await rm(beside('unproved'), { force: true });
      isUnproved = false;
      deps.log.info('upgrade_proved', { agent: current?.slice(0, 8) ?? '' });
    },
    replace: async (desired) => {
      if (desired === current) refusal = undefined;
      if (!file || !current || desired === current || readText(beside('refused')) === desired) return false;
      try {
        const { agent, release } = await downloadChecked(desired);
        refusal = undefined;
        await writeDurably(beside('part.mjs'), agent);
        // An agent that does not even start with this machine's runtime is not installed.
        await deps.shell.run(process.execPath, [beside('part.mjs'), '--version'], { timeoutMs: 10_000 });
        await copyFile(file, beside('previous'));
        await writeFile(beside('unproved'), '0');
        await writeFile(beside('release'), `${release}\n`);
        await rename(beside('part.mjs'), file);
        deps.log.info('upgraded', { from: current.slice(0, 8), to: desired.slice(0, 8), release });
        return true;
      } catch (error) {
        if (error instanceof ReleaseRefused) refusal = error.reason;
        throw error;
      }
    },
  };
}

function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
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

import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeServices } from '../firewall/service-chains.ts';
import { readRunFile, replaceRunFile } from '../platform/run-files.ts';
import type { Shell } from '../platform/shell.ts';
import { isVersionAtLeast } from '../platform/version.ts';
import { readBlockList } from './block-list.ts';
import { resolverConfig } from './resolver-config.ts';

/** The node's DNS resolver: unbound, which outlives the agent as the tunnels' daemons do. */
export interface Resolver {
  /** Starts it, or restarts it when the block list has changed. Cheap when nothing has. True: it was (re)started. */
  ensureRunning(): Promise<boolean>;
  /** Number of names that it blocks for configs with DNS filtering. */
  blockedNames(): number;
  stop(): Promise<void>;
}

export interface ResolverOptions {
  readonly interfaceName: string;
  readonly services: NodeServices;
  readonly forwarders: readonly string[];
  /** The operator's file; it need not exist. */
  readonly blockListPath: string;
  readonly runDirectory?: string;
}

const ROOT_KEY = '/usr/share/dns/root.key';
/** The first with `interface-view`. */
const OLDEST_VERSION = [1, 17] as const;
const START_TIMEOUT_MS = 5_000;
const STEP_MS = 20;

/** Whether this machine has an unbound that supports `resolverConfig`; an older one would not start. */
export async function hasResolver(shell: Shell): Promise<boolean> {
  try {
    const version = /^Version (\d+\.\d+)/m.exec(await shell.run('unbound', ['-V']))?.[1];
    return isVersionAtLeast(version, OLDEST_VERSION);
  } catch {
    return false;
  }
}

/** `address` or `address@port`. */
export function isForwarder(text: string): boolean {
  const [address = '', port = '53', ...rest] = text.split('@');
  return isIP(address) > 0 && rest.length === 0 && Number(port) > 0 && Number(port) < 65_536;
}

export function createResolver(shell: Shell, options: ResolverOptions): Resolver {
  const home = join(options.runDirectory ?? '/run/raha', `${options.interfaceName}dn`);
  const [configPath, pidPath, startedPath] = ['unbound.conf', 'pid', 'started'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  const rootKey = existsSync(ROOT_KEY) ? ROOT_KEY : undefined;
  const configOptions = { home, services: options.services, forwarders: options.forwarders, rootKey };
  /** `setup` is the hash of the configuration, which may be long: an agent that writes another one restarts the daemon. */
  let list: { readonly version: string; readonly names: readonly string[]; readonly setup: string } = {
    ...{ version: 'unread', names: [], setup: '' },
  };

  async function readList(): Promise<void> {
    const found = await stat(options.blockListPath).catch(() => undefined);
    const version = found ? `${found.mtimeMs} ${found.size}` : 'absent';
    if (version === list.version) return;
    const names = found ? readBlockList(await readFile(options.blockListPath, 'utf8')) : [];
    const setup = createHash('sha256').update(resolverConfig(configOptions, names)).digest('hex');
    list = { version, names, setup };
  }

  async function start(config: string, setup: string): Promise<void> {
    // Configuration and pid file are written as root; the daemon then drops privileges, and its user needs access.
    mkdirSync(home, { recursive: true });
    chmodSync(home, 0o711);
    replaceRunFile(configPath, config);
    rmSync(pidPath, { force: true });
    await shell.startDaemon('unbound', ['-d', '-c', configPath]);
    for (let waitedMs = 0; findProcess() === undefined; waitedMs += STEP_MS) {
      if (waitedMs > START_TIMEOUT_MS) throw new Error('unbound does not start: are its ports free?');
      await sleep(STEP_MS);
    }
    replaceRunFile(startedPath, setup);
  }

  async function stop(): Promise<void> {
    for (let pid = findProcess(), waitedMs = 0; pid !== undefined; pid = findProcess(), waitedMs += STEP_MS) {
      process.kill(pid, waitedMs > START_TIMEOUT_MS ? 'SIGKILL' : 'SIGTERM');
      await sleep(STEP_MS);
    }
  }

  /** The daemon's process id, if that process is still ours. */
  function findProcess(): number | undefined {
    const pid = Number(readRunFile(pidPath)) || undefined;
    if (pid === undefined) return undefined;
    return (readRunFile(`/proc/${pid}/cmdline`) ?? '').split('\0').includes(configPath) ? pid : undefined;
  }

  return {
    ensureRunning: async () => {
      await readList();
      if (findProcess() !== undefined && readRunFile(startedPath) === list.setup) return false;
      await stop();
      await start(resolverConfig(configOptions, list.names), list.setup);
      return true;
    },
    blockedNames: () => list.names.length,
    stop: async () => {
      await stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

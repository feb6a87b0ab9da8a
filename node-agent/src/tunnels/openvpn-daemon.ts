import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLinkState } from '../platform/link.ts';
import type { Shell } from '../platform/shell.ts';
import type { OpenvpnFiles } from './openvpn-files.ts';
import { connectManagement, type Management } from './openvpn-management.ts';

/** The process, which outlives the agent, and the one conversation with it. */
export interface OpenvpnDaemon {
  /**
   * Lets the running one go on if it was started under this name, which stands for all it lives by; else starts one. One
   * with other settings, that does not answer, or whose interface is down or gone, makes room. True: it was running.
   */
  ensure(name: string): Promise<boolean>;
  /** Null where there is no daemon: nobody is connected then. Throws where there is one that does not answer. */
  speak(): Promise<Management | null>;
  stop(): Promise<void>;
  hangUp(): void;
  isUp(): boolean;
}

const START_TIMEOUT_MS = 5_000;
/** It tells its devices, and waits for two seconds before it ends. */
const STOP_TIMEOUT_MS = 4_000;
const STEP_MS = 50;

export function createOpenvpnDaemon(
  shell: Shell,
  files: OpenvpnFiles,
  options: { readonly interfaceName: string; elapsedMs(): number; onLost(): void },
): OpenvpnDaemon {
  let management: Management | undefined;
  let connecting: Promise<Management> | undefined;

  /** The daemon speaks with one at a time. */
  async function connect(): Promise<Management> {
    if (management?.isOpen()) return management;
    connecting ??= connectManagement(files.socketPath, () => {
      // One that we hung up on is not missed.
      if (!management || management.isOpen()) return;
      management = undefined;
      options.onLost();
    }).finally(() => {
      connecting = undefined;
    });
    management = await connecting;
    return management;
  }

  async function start(name: string): Promise<void> {
    await shell.startDaemon('openvpn', ['--config', files.configPath]);
    const deadline = options.elapsedMs() + START_TIMEOUT_MS;
    for (;;) {
      try {
        await connect();
        if (!hasInterface()) throw new Error('openvpn has no interface yet');
        files.writeStarted(name);
        return;
      } catch (cause) {
        if (options.elapsedMs() > deadline) throw new Error('openvpn does not start: is its port free?', { cause });
        await sleep(20);
      }
    }
  }

  function hasInterface(): boolean {
    return readLinkState(options.interfaceName) === 'up';
  }

  async function stop(): Promise<void> {
    const running = management;
    management = undefined;
    let isTold =
      (await running?.terminate().then(
        () => true,
        () => false,
      )) ?? false;
    running?.end();
    const deadline = options.elapsedMs() + STOP_TIMEOUT_MS;
    for (let pid = findProcess(files); pid !== undefined; pid = findProcess(files)) {
      // A second word would cut its farewell to the devices short.
      if (!isTold) process.kill(pid, 'SIGTERM');
      else if (options.elapsedMs() > deadline) process.kill(pid, 'SIGKILL');
      isTold = true;
      await sleep(STEP_MS);
    }
  }

  return {
    ensure: async (name) => {
      if (findProcess(files) !== undefined) {
        const running = await connect().catch(() => undefined);
        if (running && files.readStarted() === name && hasInterface()) return true;
        await stop();
      }
      await start(name);
      return false;
    },
    speak: async () => (findProcess(files) === undefined ? null : await connect()),
    stop,
    hangUp: () => {
      const running = management;
      management = undefined;
      running?.end();
    },
    isUp: () => management?.isOpen() ?? false,
  };
}

/** The daemon's number, if that process is still ours. */
function findProcess(files: OpenvpnFiles): number | undefined {
  const pid = files.readPid();
  if (pid === undefined) return undefined;
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return words.includes(files.configPath) ? pid : undefined;
  } catch {
    return undefined;
  }
}

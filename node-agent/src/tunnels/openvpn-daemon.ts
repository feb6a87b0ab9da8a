import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLinkState } from '../platform/link.ts';
import type { Shell } from '../platform/shell.ts';
import type { OpenvpnFiles } from './openvpn-files.ts';
import { connectManagement, type Management } from './openvpn-management.ts';

/** The daemon's process, which outlives the agent, and the only connection to it. */
export interface OpenvpnDaemon {
  /**
   * Adopts the running daemon if it has this setup (a hash of its files); otherwise starts one. A daemon with another
   * setup, without an answer, or whose interface is down or missing is replaced. True: it was running.
   */
  ensure(setup: string): Promise<boolean>;
  /** Null when there is no daemon, and so no connected device. Throws when the daemon does not answer. */
  connection(): Promise<Management | null>;
  stop(): Promise<void>;
  disconnect(): void;
  isUp(): boolean;
}

const START_TIMEOUT_MS = 5_000;
/** It notifies its devices, and waits for two seconds before it exits. */
const STOP_TIMEOUT_MS = 4_000;
const STEP_MS = 50;

export function createOpenvpnDaemon(
  shell: Shell,
  files: OpenvpnFiles,
  options: { readonly interfaceName: string; elapsedMs(): number; onLost(): void },
): OpenvpnDaemon {
  let management: Management | undefined;
  let connecting: Promise<Management> | undefined;

  /** The daemon accepts one connection at a time. */
  async function connect(): Promise<Management> {
    if (management?.isOpen()) return management;
    connecting ??= connectManagement(files.socketPath, () => {
      // A connection that we closed ourselves is not a loss.
      if (!management || management.isOpen()) return;
      management = undefined;
      options.onLost();
    }).finally(() => {
      connecting = undefined;
    });
    management = await connecting;
    return management;
  }

  async function start(setup: string): Promise<void> {
    await shell.startDaemon('openvpn', ['--config', files.configPath]);
    const deadline = options.elapsedMs() + START_TIMEOUT_MS;
    for (;;) {
      try {
        await connect();
        if (!hasInterface()) throw new Error('openvpn has no interface yet');
        files.writeSetup(setup);
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
    let isSignalled =
      (await running?.terminate().then(
        () => true,
        () => false,
      )) ?? false;
    running?.end();
    const deadline = options.elapsedMs() + STOP_TIMEOUT_MS;
    for (let pid = findProcess(files); pid !== undefined; pid = findProcess(files)) {
      // A second signal would cut its notice to the devices short.
      if (!isSignalled) process.kill(pid, 'SIGTERM');
      else if (options.elapsedMs() > deadline) process.kill(pid, 'SIGKILL');
      isSignalled = true;
      await sleep(STEP_MS);
    }
  }

  return {
    ensure: async (setup) => {
      if (findProcess(files) !== undefined) {
        const running = await connect().catch(() => undefined);
        if (running && files.readSetup() === setup && hasInterface()) return true;
        await stop();
      }
      await start(setup);
      return false;
    },
    connection: async () => (findProcess(files) === undefined ? null : await connect()),
    stop,
    disconnect: () => {
      const running = management;
      management = undefined;
      running?.end();
    },
    isUp: () => management?.isOpen() ?? false,
  };
}

/** The daemon's process id, if that process is still ours. */
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

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Shell } from '../shell.ts';
import type { OpenvpnFiles } from './openvpn-files.ts';
import { connectManagement, type Management } from './openvpn-management.ts';

/** The process, which outlives the agent, and the one conversation with it. */
export interface OpenvpnDaemon {
  /**
   * Lets the running one go on if it was started under this name, which stands for all it lives by; else starts one. One
   * with other settings, or that does not answer, makes room. True: it was running.
   */
  ensure(name: string): Promise<boolean>;
  /** Null where there is no daemon: nobody is connected then. Throws where there is one that does not answer. */
  speak(): Promise<Management | null>;
  stop(): Promise<void>;
  hangUp(): void;
  isUp(): boolean;
}

const START_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 5_000;

export function createOpenvpnDaemon(
  shell: Shell,
  files: OpenvpnFiles,
  options: { elapsedMs(): number; onLost(): void },
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
        files.writeStarted(name);
        return;
      } catch (cause) {
        if (options.elapsedMs() > deadline) throw new Error('openvpn does not start: is its port free?', { cause });
        await sleep(20);
      }
    }
  }

  async function stop(): Promise<void> {
    const running = management;
    management = undefined;
    await running?.terminate().catch(() => {});
    running?.end();
    const deadline = options.elapsedMs() + STOP_TIMEOUT_MS;
    for (let pid = findProcess(files); pid !== undefined; pid = findProcess(files)) {
      process.kill(pid, options.elapsedMs() > deadline ? 'SIGKILL' : 'SIGTERM');
      await sleep(50);
    }
  }

  return {
    ensure: async (name) => {
      if (findProcess(files) !== undefined) {
        const running = await connect().catch(() => undefined);
        if (running && files.readStarted() === name) return true;
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

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLinkState } from '../platform/link.ts';
import type { Shell } from '../platform/shell.ts';
import { withTimeout } from '../platform/with-timeout.ts';
import type { Ikev2Files, IpsecMode } from './ikev2-files.ts';
import { connectVici, type Vici } from './vici.ts';

/** The daemon's process, which outlives the agent, and the connection to it. */
export interface Ikev2Daemon {
  /**
   * Adopts the running daemon if it has this setup (a hash of everything that it was given); otherwise starts one. A daemon
   * with another setup, without an answer or without its interface is replaced.
   */
  ensure(setup: string): Promise<{ readonly vici: Vici; readonly adopted: boolean }>;
  /** Records that the daemon has been given its complete setup; before that it is not adopted. */
  settle(setup: string): void;
  /** Null when there is no daemon, and so no connected device. Throws when the daemon does not answer. */
  connection(): Promise<Vici | null>;
  stop(): Promise<void>;
  disconnect(): void;
  isUp(): boolean;
}

export const CHARON = '/usr/lib/ipsec/charon';
/**
 * The path of the daemon's pid file is fixed, for one daemon per machine. In its own mount namespace that path is a file of
 * ours, so that another strongSwan on this machine does not interfere.
 */
const START = `touch /run/charon.pid && mount --bind "$1" /run/charon.pid && exec ${CHARON}`;
const START_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 5_000;
/** The kernel accepts connections for a daemon that hangs; only a response shows that it works. */
const ADOPT_TIMEOUT_MS = 2_500;

export function createIkev2Daemon(
  shell: Shell,
  files: Ikev2Files,
  options: { readonly mode: IpsecMode; readonly interfaceName: string; elapsedMs(): number; onLost(): void },
): Ikev2Daemon {
  const { mode, interfaceName, elapsedMs } = options;
  let vici: Vici | undefined;
  let connecting: Promise<Vici> | undefined;

  async function connect(): Promise<Vici> {
    if (vici?.isOpen()) return vici;
    connecting ??= connectVici(files.socketPath, () => {
      // A connection that we closed ourselves is not a loss.
      if (!vici || vici.isOpen()) return;
      vici = undefined;
      options.onLost();
    }).finally(() => {
      connecting = undefined;
    });
    vici = await connecting;
    return vici;
  }

  async function connectResponsive(): Promise<Vici> {
    const running = await connect();
    await withTimeout(ADOPT_TIMEOUT_MS, 'charon', running.request('version'));
    return running;
  }

  /** A daemon that encrypts itself does not notice that its device was removed. In kernel mode the agent creates it. */
  function hasInterface(): boolean {
    return mode === 'kernel' || readLinkState(interfaceName) !== 'absent';
  }

  async function start(): Promise<Vici> {
    const environment = { STRONGSWAN_CONF: files.configPath };
    await shell.startDaemon('unshare', ['--mount', 'sh', '-c', START, 'sh', files.pidPath], environment);
    const deadline = elapsedMs() + START_TIMEOUT_MS;
    for (;;) {
      try {
        // The socket may be left over from a killed daemon: this process has to answer.
        if (findProcess(files) === undefined) throw new Error('charon does not run');
        const opened = await connect();
        await refuseIncomplete(opened, findProcess(files), mode === 'userspace' ? interfaceName : undefined);
        return opened;
      } catch (cause) {
        if (cause instanceof Incomplete) {
          await stop();
          throw cause;
        }
        if (elapsedMs() > deadline) throw new Error('charon does not start', { cause });
        await sleep(20);
      }
    }
  }

  async function stop(): Promise<void> {
    const running = vici;
    vici = undefined;
    running?.end();
    const deadline = elapsedMs() + STOP_TIMEOUT_MS;
    for (let pid = findProcess(files), isSignalled = false; pid !== undefined; pid = findProcess(files)) {
      if (!isSignalled || elapsedMs() > deadline) process.kill(pid, isSignalled ? 'SIGKILL' : 'SIGTERM');
      isSignalled = true;
      await sleep(20);
    }
  }

  return {
    ensure: async (setup) => {
      if (findProcess(files) !== undefined) {
        const running =
          files.readSetup() === setup && hasInterface() ? await connectResponsive().catch(() => undefined) : undefined;
        if (running) return { vici: running, adopted: true };
        await stop();
      }
      files.writeConfig();
      files.writeSetup('');
      return { vici: await start(), adopted: false };
    },
    settle: (setup) => files.writeSetup(setup),
    connection: async () => (findProcess(files) === undefined ? null : await connect()),
    stop,
    disconnect: () => {
      const running = vici;
      vici = undefined;
      running?.end();
    },
    isUp: () => vici?.isOpen() ?? false,
  };
}

class Incomplete extends Error {}

/** The daemon starts even when it cannot work. */
async function refuseIncomplete(vici: Vici, pid: number | undefined, ownDevice: string | undefined): Promise<void> {
  const { plugins } = await vici.request('stats');
  const loaded = Array.isArray(plugins) ? (plugins as string[]) : [];
  if (!loaded.includes('socket-default')) throw new Incomplete('charon has no socket: are its ports free?');
  if (ownDevice && findTunnelDevice(pid) !== ownDevice) {
    throw new Incomplete(`charon could not create the interface ${ownDevice}: does another process own it?`);
  }
}

/** The daemon's process id, if that process is still ours. */
function findProcess(files: Ikev2Files): number | undefined {
  const pid = files.readPid();
  if (pid === undefined) return undefined;
  try {
    const words = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    const [program] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return program === CHARON && words.includes(`STRONGSWAN_CONF=${files.configPath}`) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** The name of the tunnel device that this process has opened. */
function findTunnelDevice(pid: number | undefined): string | undefined {
  const directory = `/proc/${pid}/fdinfo`;
  for (const file of readdirSync(directory)) {
    try {
      const name = /^iff:\s*(\S+)/m.exec(readFileSync(`${directory}/${file}`, 'utf8'))?.[1];
      if (name) return name;
    } catch {
      // The descriptor was closed between listing and reading.
    }
  }
  return undefined;
}

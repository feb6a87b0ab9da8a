import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLinkState } from '../platform/link.ts';
import type { Shell } from '../platform/shell.ts';
import { within } from '../platform/with-timeout.ts';
import type { Ikev2Files, IpsecMode } from './ikev2-files.ts';
import { connectVici, type Vici } from './vici.ts';

/** The process, which outlives the agent, and the conversation with it. */
export interface Ikev2Daemon {
  /**
   * Lets the running one go on if it was started under this name, which stands for all it lives by; else starts one. One
   * with other settings, that does not answer, or that has lost its interface, makes room. True: it was running.
   */
  ensure(name: string): Promise<{ readonly vici: Vici; readonly adopted: boolean }>;
  /** Says that it has been told everything that the name stands for: before, it is not adopted. */
  settle(name: string): void;
  /** Null where there is no daemon: nobody is connected then. Throws where there is one that does not answer. */
  speak(): Promise<Vici | null>;
  stop(): Promise<void>;
  hangUp(): void;
  isUp(): boolean;
}

export const CHARON = '/usr/lib/ipsec/charon';
/**
 * The daemon's pid file has a fixed place, for one daemon per machine. In a mount namespace of its own that place is a
 * file of ours, so that another strongSwan on this machine is not disturbed, nor disturbs.
 */
const START = `touch /run/charon.pid && mount --bind "$1" /run/charon.pid && exec ${CHARON}`;
const START_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 5_000;
/** The system takes connections for a daemon that hangs: only its own word shows that it lives. */
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
      // One that we hung up on is not missed.
      if (!vici || vici.isOpen()) return;
      vici = undefined;
      options.onLost();
    }).finally(() => {
      connecting = undefined;
    });
    vici = await connecting;
    return vici;
  }

  async function hear(): Promise<Vici> {
    const running = await connect();
    await within(ADOPT_TIMEOUT_MS, 'charon', running.ask('version'));
    return running;
  }

  /** One that encrypts by itself does not notice that its device was taken away; the kernel's we make ourselves. */
  function hasInterface(): boolean {
    return mode === 'kernel' || readLinkState(interfaceName) !== 'absent';
  }

  async function start(): Promise<Vici> {
    const environment = { STRONGSWAN_CONF: files.configPath };
    await shell.startDaemon('unshare', ['--mount', 'sh', '-c', START, 'sh', files.pidPath], environment);
    const deadline = elapsedMs() + START_TIMEOUT_MS;
    for (;;) {
      try {
        // The socket may be one that a killed daemon left: it has to be this process that answers.
        if (findProcess(files) === undefined) throw new Error('charon does not run');
        const opened = await connect();
        await refuseHalf(opened, findProcess(files), mode === 'userspace' ? interfaceName : undefined);
        return opened;
      } catch (cause) {
        if (cause instanceof HalfStarted) {
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
    for (let pid = findProcess(files), told = false; pid !== undefined; pid = findProcess(files), told = true) {
      if (!told || elapsedMs() > deadline) process.kill(pid, told ? 'SIGKILL' : 'SIGTERM');
      await sleep(20);
    }
  }

  return {
    ensure: async (name) => {
      if (findProcess(files) !== undefined) {
        const running =
          files.readStarted() === name && hasInterface() ? await hear().catch(() => undefined) : undefined;
        if (running) return { vici: running, adopted: true };
        await stop();
      }
      files.writeConfig();
      files.writeStarted('');
      return { vici: await start(), adopted: false };
    },
    settle: (name) => files.writeStarted(name),
    speak: async () => (findProcess(files) === undefined ? null : await connect()),
    stop,
    hangUp: () => {
      const running = vici;
      vici = undefined;
      running?.end();
    },
    isUp: () => vici?.isOpen() ?? false,
  };
}

class HalfStarted extends Error {}

/** It starts even where it cannot work. */
async function refuseHalf(vici: Vici, pid: number | undefined, ownDevice: string | undefined): Promise<void> {
  const { plugins } = await vici.ask('stats');
  const loaded = Array.isArray(plugins) ? (plugins as string[]) : [];
  if (!loaded.includes('socket-default')) throw new HalfStarted('charon has no socket: are its ports free?');
  if (ownDevice && findTunnelDevice(pid) !== ownDevice) {
    throw new HalfStarted(`charon has not got the interface ${ownDevice}: does another have it?`);
  }
}

/** The daemon's number, if that process is still ours. */
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

/** The name of the tunnel device that this process has open. */
function findTunnelDevice(pid: number | undefined): string | undefined {
  const directory = `/proc/${pid}/fdinfo`;
  for (const file of readdirSync(directory)) {
    try {
      const name = /^iff:\s*(\S+)/m.exec(readFileSync(`${directory}/${file}`, 'utf8'))?.[1];
      if (name) return name;
    } catch {
      // Closed between listing and reading.
    }
  }
  return undefined;
}

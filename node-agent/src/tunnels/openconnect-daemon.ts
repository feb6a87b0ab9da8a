import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Shell } from '../platform/shell.ts';
import type { OpenconnectFiles, OpenconnectSetup } from './openconnect-files.ts';

export interface OpenconnectSession {
  readonly commonName: string;
  readonly id: number;
  /** Bytes of the device inside the tunnel. */
  readonly receivedBytes: number;
}

/** ocserv's processes, which outlive the agent, and its commands. */
export interface OpenconnectDaemon {
  /**
   * Adopts the running daemon if it has this setup; one with other keys only reads them again, and no session ends. Otherwise
   * it starts one, once the former is gone: that one would remove the sockets of the new one. True: it was running.
   */
  ensure(setup: OpenconnectSetup): Promise<boolean>;
  /** Empty when there is no daemon. Throws when it does not answer. */
  listSessions(): Promise<OpenconnectSession[]>;
  /** Ends the sessions: no packet of these devices passes afterwards. Throws if one does not end. */
  endSessions(commonNames: readonly string[]): Promise<void>;
  stop(): Promise<void>;
  isUp(): boolean;
}

const START_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 4_000;
const END_TIMEOUT_MS = 3_000;
const STEP_MS = 50;
/** How long a device that the script has just let in needs until it is listed. */
const LOGIN_MS = 100;

export function createOpenconnectDaemon(
  shell: Shell,
  files: OpenconnectFiles,
  options: { elapsedMs(): number },
): OpenconnectDaemon {
  const occtl = (...command: string[]) =>
    shell.run('occtl', ['-s', files.commandSocketPath, '-j', ...command], { timeoutMs: 5_000 });
  const isUp = () => {
    const leader = files.readPid();
    return leader !== undefined && isOf(leader, leader);
  };

  async function start(setup: OpenconnectSetup): Promise<void> {
    await shell.run(files.scriptPath, []).catch((cause: unknown) => {
      throw new Error(`${files.scriptPath} cannot be run: is its directory mounted with noexec?`, { cause });
    });
    await shell.startDaemon('ocserv', ['-f', '-c', files.configPath]);
    const deadline = options.elapsedMs() + START_TIMEOUT_MS;
    for (;;) {
      try {
        await occtl('show', 'status');
        files.writeSetup(setup);
        return;
      } catch (cause) {
        if (options.elapsedMs() > deadline) throw new Error('ocserv does not start: is its port free?', { cause });
        await sleep(STEP_MS);
      }
    }
  }

  async function stop(): Promise<void> {
    const leader = files.readPid();
    let signal: NodeJS.Signals | undefined = 'SIGTERM';
    const deadline = options.elapsedMs() + STOP_TIMEOUT_MS;
    for (let left = findProcesses(leader); left.length > 0; left = findProcesses(leader)) {
      // The main process tells the others. Without it they are ended one by one.
      if (signal) for (const pid of left.includes(leader ?? 0) ? [leader as number] : left) tell(pid, signal);
      signal = options.elapsedMs() > deadline ? 'SIGKILL' : undefined;
      await sleep(STEP_MS);
    }
  }

  async function listSessions(): Promise<OpenconnectSession[]> {
    return isUp() ? parseSessions(await occtl('show', 'users')) : [];
  }

  return {
    ensure: async (setup) => {
      const answers = isUp() && (await occtl('show', 'status').then(isUp, () => false));
      const running = files.readSetup();
      const leader = files.readPid();
      if (answers && leader !== undefined && running?.config === setup.config) {
        if (running.keys !== setup.keys) {
          process.kill(leader, 'SIGHUP');
          files.writeSetup(setup);
        }
        return true;
      }
      await stop();
      await start(setup);
      return false;
    },
    listSessions,
    endSessions: async (commonNames) => {
      if (commonNames.length === 0 || !isUp()) return;
      const names = new Set(commonNames);
      const deadline = options.elapsedMs() + END_TIMEOUT_MS;
      const find = async () => (await listSessions()).filter(({ commonName }) => names.has(commonName));
      await sleep(LOGIN_MS);
      for (let found = await find(); found.length > 0; found = await find()) {
        if (options.elapsedMs() > deadline) throw new Error('ocserv does not end a session');
        // One that has just ended by itself is not an error.
        for (const { id } of found) await occtl('disconnect', 'id', String(id)).catch(() => {});
        await sleep(STEP_MS);
      }
    },
    stop,
    isUp,
  };
}

/** JSON with the device's network address and more, of which nothing else is read. */
function parseSessions(listed: string): OpenconnectSession[] {
  const users = JSON.parse(listed) as { ID: number; Username: string; RX?: string }[];
  return users.map(({ ID, Username, RX }) => ({ commonName: Username, id: ID, receivedBytes: Number(RX ?? 0) }));
}

/** The processes of the daemon, which is the leader of their group, as far as they are ocserv's. */
function findProcesses(leader: number | undefined): number[] {
  if (leader === undefined) return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isOf(pid, leader));
}

function isOf(pid: number, leader: number): boolean {
  try {
    const [, , group] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    if (Number(group) !== leader) return false;
    return basename(readlinkSync(`/proc/${pid}/exe`)).startsWith('ocserv');
  } catch {
    // It has just ended.
    return false;
  }
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}

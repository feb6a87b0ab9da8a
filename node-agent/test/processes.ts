import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';

/** Runs a command to its end; throws with its error output. */
export function run(command: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, { timeout: 60_000, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${command} ${args.join(' ')}: ${stderr || error.message}`));
      else resolve(stdout);
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

export interface Running {
  readonly pid: number;
  /** Its standard and error output so far. */
  output(): string;
  /** Waits until it exits by itself; returns its output. */
  ended(): Promise<string>;
  end(signal: NodeJS.Signals): Promise<void>;
}

export function start(command: string, args: readonly string[], cwd?: string): Running {
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(cwd ? { cwd } : {}) });
  let output = '';
  const listen = (text: Buffer) => {
    output += text.toString();
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    pid: child.pid ?? 0,
    output: () => output,
    ended: () => ended.then(() => output),
    end: async (signal) => {
      child.kill(signal);
      await ended;
    },
  };
}

/** Repeats the check until it is true. The deadline is generous, because the machine may be busy. */
export async function until(what: string, check: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Why real tunnels cannot be tested on this machine; undefined when they can. */
export function findObstacle(more: readonly string[] = []): string | undefined {
  if (process.getuid?.() !== 0) return 'not root';
  try {
    accessSync('/dev/net/tun', constants.R_OK | constants.W_OK);
  } catch {
    return 'no /dev/net/tun';
  }
  for (const binary of ['ip', 'nft', 'wg', 'wg-quick', 'wireguard-go', 'curl', 'ping', 'unbound', ...more]) {
    try {
      execFileSync('which', [binary], { stdio: 'ignore' });
    } catch {
      return `${binary} is not installed`;
    }
  }
  try {
    execFileSync('unshare', ['-n', 'true'], { stdio: 'ignore' });
  } catch {
    return 'network namespaces are not allowed';
  }
  return undefined;
}

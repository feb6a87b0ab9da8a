import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A command that failed, with its error output. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  readonly stderr: string;

  constructor(command: string, stderr: string, cause: unknown) {
    super(`${command} failed: ${stderr.trim().slice(0, 300)}`, { cause });
    this.stderr = stderr;
  }
}

export interface RunOptions {
  readonly input?: string;
  readonly timeoutMs?: number;
}

/** The only module that starts processes. Arguments are arrays: no shell interprets them. */
export interface Shell {
  /** Waits for the end and returns the standard output; throws `CommandFailed`. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<string>;
  /**
   * As `run`, for commands that open `/dev/stdin` by name: Node gives its children a socket, which cannot be opened that
   * way. The input is a file that is already unlinked when the command starts.
   */
  runOnFile(command: string, args: readonly string[], input: string): Promise<string>;
  /** A process with open standard input and output. */
  openPipe(command: string, args: readonly string[]): ChildProcessWithoutNullStreams;
  /** A daemon that outlives the agent. */
  startDaemon(command: string, args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<void>;
}

const TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

export const shell: Shell = {
  run: (command, args, options = {}) =>
    new Promise((resolve, reject) => {
      const settings = {
        timeout: options.timeoutMs ?? TIMEOUT_MS,
        maxBuffer: MAX_OUTPUT_BYTES,
        killSignal: 'SIGKILL',
      } as const;
      const child = execFile(command, args, settings, (error, stdout, stderr) => {
        if (error) reject(new CommandFailed(command, stderr || error.message, error));
        else resolve(stdout);
      });
      // A command may end without reading its input; its exit status decides.
      child.stdin?.on('error', () => {});
      child.stdin?.end(options.input ?? '');
    }),

  runOnFile: (command, args, input) =>
    new Promise((resolve, reject) => {
      const file = openUnlinkedFile(input);
      const child = spawn(command, args, { stdio: [file, 'pipe', 'pipe'], timeout: TIMEOUT_MS, killSignal: 'SIGKILL' });
      closeSync(file);
      let [stdout, stderr] = ['', ''];
      child.stdout?.on('data', (text: Buffer) => {
        stdout += text.toString();
      });
      child.stderr?.on('data', (text: Buffer) => {
        stderr += text.toString();
      });
      child.on('error', (error) => reject(new CommandFailed(command, error.message, error)));
      child.on('close', (code) => {
        if (code === 0) resolve(stdout);
        else reject(new CommandFailed(command, stderr, undefined));
      });
    }),

  // Without a home directory nft keeps no history file.
  openPipe: (command, args) =>
    spawn(command, args, { stdio: 'pipe', env: { ...inheritedEnvironment(), HOME: '/nonexistent' } }),

  startDaemon: (command, args, environment = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        detached: true,
        stdio: 'ignore',
        env: { ...inheritedEnvironment(), ...environment },
      });
      child.once('error', (error) => reject(new CommandFailed(command, error.message, error)));
      child.once('spawn', () => {
        child.unref();
        resolve();
      });
    }),
};

function openUnlinkedFile(text: string): number {
  const directory = mkdtempSync(join(tmpdir(), 'raha-'));
  const path = join(directory, 'input');
  try {
    const writer = openSync(path, 'wx', 0o600);
    writeFileSync(writer, text);
    closeSync(writer);
    return openSync(path, 'r');
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function inheritedEnvironment(): Record<string, string> {
  return { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
}

import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';

/** A command that ended with an error, with what it said. */
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

/** The only place that starts processes. Arguments are arrays: no shell reads them. */
export interface Shell {
  /** Runs to the end and gives its standard output; throws `CommandFailed`. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<string>;
  /** A process to talk with. */
  converse(command: string, args: readonly string[]): ChildProcessWithoutNullStreams;
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
      // A command may end without reading its input; its exit status tells the story.
      child.stdin?.on('error', () => {});
      child.stdin?.end(options.input ?? '');
    }),

  converse: (command, args) => spawn(command, args, { stdio: 'pipe' }),

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

function inheritedEnvironment(): Record<string, string> {
  return { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
}

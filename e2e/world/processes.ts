import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');
export const node = join(root, 'node_modules/.bin/node');

export interface Output {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end without blocking: servers in this process must go on meanwhile. */
export function run(
  command: string,
  args: readonly string[],
  options: SpawnOptions & { input?: string } = {},
): Promise<Output> {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (data: Buffer) => {
      stdout += data;
    });
    child.stderr?.on('data', (data: Buffer) => {
      stderr += data;
    });
    child.once('error', failed);
    child.once('close', (code) => done({ code, stdout, stderr }));
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
  });
}

/** The same; a failure throws with the program's output. */
export async function must(
  command: string,
  args: readonly string[],
  options: SpawnOptions & { input?: string } = {},
): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, options);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

export interface Running {
  readonly child: ChildProcess;
  /** Its output so far. */
  output(): string;
  /** Resolves once its output matches; rejects when it exits first. */
  waitFor(pattern: RegExp, timeoutMs: number): Promise<RegExpMatchArray>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a long-running program whose output goes to `logFile` and can be waited for. */
export function start(command: string, args: readonly string[], options: SpawnOptions & { logFile: string }): Running {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(options.logFile, { flags: 'a' });
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data: Buffer) => {
      output += data;
      log.write(data);
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<void>((done) => {
    child.once('error', (error) => {
      output += error.message;
      log.end();
      done();
    });
    child.once('exit', () => done());
    // Its output can still be on the way when it has ended, or come from a program that it started.
    child.once('close', () => log.end());
  });
  return {
    child,
    output: () => output,
    waitFor: (pattern, timeoutMs) =>
      new Promise((done, failed) => {
        const timer = setTimeout(
          () => failed(new Error(`${command} did not print ${pattern} in time:\n${output}`)),
          timeoutMs,
        );
        const look = () => {
          const match = output.match(pattern);
          if (!match) return;
          listeners.delete(look);
          clearTimeout(timer);
          done(match);
        };
        listeners.add(look);
        look();
        void ended.then(() => {
          clearTimeout(timer);
          failed(new Error(`${command} ended before it printed ${pattern}:\n${output}`));
        });
      }),
    kill: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    },
  };
}

export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

/** A definite failure, which `until` does not retry. */
export class Refused extends Error {}

/** Repeats the check until it returns a value; errors count as "not yet". */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  timeoutMs = 60_000,
  everyMs = 50,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      if (error instanceof Refused) throw error;
      last = error;
    }
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms for: ${what}`, { cause: last });
    await pause(everyMs);
  }
}

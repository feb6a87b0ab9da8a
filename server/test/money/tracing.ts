import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { eventually } from '../world.ts';

/** strace, which injects faults into processes that are not our children. */
const program = ['/usr/bin/strace', '/bin/strace'].find((path) => existsSync(path));

/**
 * Why nothing can be injected here. Some containers forbid tracing even to root, and only root may trace other processes.
 */
export const whyNoTracing = ((): string | undefined => {
  if (program === undefined) return 'strace is not installed';
  if (process.getuid?.() !== 0) return 'only root may trace';
  return spawnSync(program, ['-o', '/dev/null', 'true']).status === 0 ? undefined : 'this machine forbids tracing';
})();

/** Prints which tests do not run here; `npm test` counts them as well, and CI allows none. */
export function warnOfSkipped(tests: string, why: string | undefined): boolean {
  if (why !== undefined) console.warn(`${tests}: SKIPPED, ${why}`);
  return why !== undefined;
}

/** Injects into the given processes and their later children; resolves once all of them are traced or gone. */
export async function inject(pids: readonly number[], calls: string, fault: string): Promise<ChildProcess> {
  const rules = ['-e', `trace=${calls}`, '-e', `inject=${calls}:${fault}`];
  const tracer = spawn(program as string, ['-f', '-qq', ...rules, ...pids.flatMap((pid) => ['-p', `${pid}`])], {
    stdio: 'ignore',
  });
  // The kernel reports that it is traced.
  await eventually(() => pids.every((pid) => isTraced(pid) !== false), 60_000);
  return tracer;
}

/** Undefined when there is no such process, or only a zombie is left. */
export function isTraced(pid: number): boolean | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return /^State:\s+[ZX]/m.test(status) ? undefined : /^TracerPid:\s+[1-9]/m.test(status);
  } catch {
    return undefined;
  }
}

/** Kills a process of ours and waits for its end. */
export async function endProcess(process: ChildProcess | undefined): Promise<void> {
  if (!process || process.exitCode !== null || process.signalCode !== null) return;
  const ended = new Promise((resolve) => process.once('exit', resolve));
  process.kill('SIGKILL');
  await ended;
}

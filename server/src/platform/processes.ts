import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Whether a process is alive and, with `mention`, whether its command line contains that text: the number in an old pid
 * file may belong to another program by now. A zombie counts as dead.
 */
export function isRunning(pid: number, mention?: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  if (process.platform !== 'linux') return !mention || ask(pid, 'command').includes(mention);
  try {
    if (statFields(pid)[0] === 'Z') return false;
    return !mention || readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mention);
  } catch {
    return false;
  }
}

/** When a process started, as an opaque string; together with the pid it is unique. Empty when there is none. */
export function startOf(pid: number): string {
  if (process.platform !== 'linux') return ask(pid, 'lstart').replaceAll(' ', '_');
  try {
    return statFields(pid)[19] ?? '';
  } catch {
    return '';
  }
}

/** True once the process is gone, false when it is still alive after `timeoutMs`. */
export async function waitUntilGone(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (isRunning(pid)) {
    if (performance.now() > deadline) return false;
    await new Promise((done) => setTimeout(done, 20));
  }
  return true;
}

/** Fields of /proc/<pid>/stat from the third on; the second, a name in brackets, may contain any character. */
function statFields(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function ask(pid: number, field: string): string {
  return spawnSync('ps', ['-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? '';
}

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { childEnvironment } from './install.mjs';

/**
 * Runs a program of ours in the foreground until it ends, and ends with its exit code.
 *
 * The child has a process group of its own, so that Ctrl-C reaches it once, through us, and it can stop its parts in
 * order. When we are killed without a chance to say so, the closing of the IPC channel tells it.
 */
export function runInForeground(node, args) {
  const environmentFile = existsSync('.env') ? ['--env-file=.env'] : [];
  const child = spawn(node, [...environmentFile, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true,
    env: childEnvironment(),
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal));
  }
  child.once('error', (error) => {
    console.error(error.message);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'raha-tests-';
/** What the clusters of a run may need, and as much again for everything else. */
const NEEDED_BYTES = 6 * 2 ** 30;

/**
 * Lets everything that the tests of this run put into a temporary directory be in memory, where there is enough of it: a database of a test
 * is a thousand files, and making them on a disk takes longer than most tests. With TMPDIR set, they are there. A
 * long run makes databases of millions of rows, on the disk.
 */
export function keepFilesInMemory(): void {
  if (process.env.TMPDIR || process.env.TEST_LONG || !isRoomy()) return;
  for (const name of readdirSync(MEMORY).filter((entry) => entry.startsWith(PREFIX))) {
    // A killed run's PostgreSQL ends by itself within a minute of losing its files.
    if (!isRunning(Number(name.slice(PREFIX.length)))) rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
  const directory = join(MEMORY, `${PREFIX}${process.pid}`);
  mkdirSync(directory, { recursive: true });
  // PostgreSQL runs as a user of its own.
  chmodSync(directory, 0o1777);
  process.env.TMPDIR = directory;
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
}

function isRoomy(): boolean {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .find(([, path]) => path === MEMORY);
    // Some tests run programs that they put there.
    if (mount?.[2] !== 'tmpfs' || mount[3]?.split(',').includes('noexec')) return false;
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, process.availableMemory()) > 2 * NEEDED_BYTES;
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

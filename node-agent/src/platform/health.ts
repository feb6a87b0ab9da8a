import { existsSync, readFileSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { cpus } from 'node:os';

/** Load and disk of the machine. */
export interface Health {
  /** 0..1 since the last call: the busiest of CPU and, where their speed is known, the uplinks. */
  readLoad(): Promise<number>;
  /** Of the disk that holds the agent's state. */
  readDisk(): Promise<{ freeBytes: number; totalBytes: number }>;
}

interface LoadSample {
  readonly atMs: number;
  readonly busyMs: number;
  readonly totalMs: number;
  /** In the order of the uplinks. */
  readonly carried: readonly Carried[];
}

interface Carried {
  readonly received: number;
  readonly sent: number;
}

const NOTHING: Carried = { received: 0, sent: 0 };

export function createHealth(uplinks: readonly string[], directory: string, elapsedMs: () => number): Health {
  let last: LoadSample | undefined;
  return {
    readDisk: async () => {
      const { bavail, blocks, bsize } = await statfs(directory);
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    },
    readLoad: async () => {
      const sample = { atMs: elapsedMs(), ...readCpu(), carried: uplinks.map(readLinkBytes) };
      const before = last;
      last = sample;
      if (!before) return 0;
      const seconds = (sample.atMs - before.atMs) / 1000;
      const links = await Promise.all(
        uplinks.map((uplink, at) => linkShare(uplink, seconds, before.carried[at], sample.carried[at])),
      );
      return Math.min(1, Math.max(0, cpuShare(before, sample), ...links));
    },
  };
}

/**
 * Bytes that a link has carried since it came up; zeros when there is no such link. Asked ten times a second: the kernel has the
 * answer in memory, and a thread of the pool would cost more than it.
 */
export function readLinkBytes(link: string): Carried {
  const directory = `/sys/class/net/${link}/statistics`;
  if (!existsSync(directory)) return NOTHING;
  try {
    const read = (name: string) => Number(readFileSync(`${directory}/${name}`, 'utf8'));
    return { received: read('rx_bytes'), sent: read('tx_bytes') };
  } catch {
    // It has just gone.
    return NOTHING;
  }
}

function readCpu(): { busyMs: number; totalMs: number } {
  let busyMs = 0;
  let totalMs = 0;
  for (const { times } of cpus()) {
    const all = times.user + times.nice + times.sys + times.irq + times.idle;
    totalMs += all;
    busyMs += all - times.idle;
  }
  return { busyMs, totalMs };
}

function cpuShare(before: LoadSample, now: LoadSample): number {
  const total = now.totalMs - before.totalMs;
  return total > 0 ? (now.busyMs - before.busyMs) / total : 0;
}

async function linkShare(uplink: string, seconds: number, before = NOTHING, now = NOTHING): Promise<number> {
  const megabitsPerSecond = (await readNumber(`/sys/class/net/${uplink}/speed`)) ?? 0;
  if (megabitsPerSecond <= 0 || seconds <= 0) return 0;
  const bytes = Math.max(now.received - before.received, now.sent - before.sent);
  return (bytes * 8) / seconds / (megabitsPerSecond * 1_000_000);
}

async function readNumber(path: string): Promise<number | undefined> {
  try {
    const value = Number((await readFile(path, 'utf8')).trim());
    return Number.isFinite(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

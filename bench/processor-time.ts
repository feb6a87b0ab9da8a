import { readdirSync, readFileSync } from 'node:fs';

/** Nanoseconds on a processor so far, by process, from the scheduler's statistics. */
interface Readings {
  readonly servers: ReadonlyMap<number, number>;
  /** The backends of one database. */
  readonly database: ReadonlyMap<number, number>;
}

export function readProcessors(clusterUrl: string, database: string, servers: readonly number[]): Readings {
  const read = (pids: readonly number[]) => new Map(pids.map((pid) => [pid, processorNs(pid)]));
  // Those of other databases of the cluster have other work.
  const backends = childrenOf(postmasterOf(clusterUrl)).filter((pid) => titleOf(pid).includes(` ${database} `));
  return { servers: read(servers), database: read(backends) };
}

/** Milliseconds between two readings. What a backend did that has ended since is not known, and left out. */
export function spentMs(before: Readings, after: Readings): { readonly servers: number; readonly database: number } {
  const between = (part: keyof Readings) =>
    [...after[part]].reduce((sum, [pid, ns]) => sum + ns - (before[part].get(pid) ?? 0), 0) / 1e6;
  return { servers: between('servers'), database: between('database') };
}

function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** All threads of a process; 0 if it has ended. */
function processorNs(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
      const [ns = '0'] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
      return sum + Number(ns);
    }, 0);
  } catch {
    return 0;
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync(`/proc/${parent}/task`).flatMap((thread) =>
    readFileSync(`/proc/${parent}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
}

/** The process that listens on the cluster's port names it as its argument or in its title. */
function postmasterOf(clusterUrl: string): number {
  const { port } = new URL(clusterUrl);
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (/postgres$/.test(words[0] ?? '') && words.some((word) => word === port || word.includes(`port=${port}`)))
        return Number(pid);
    } catch {}
  }
  throw new Error(`No PostgreSQL listens on port ${port}.`);
}

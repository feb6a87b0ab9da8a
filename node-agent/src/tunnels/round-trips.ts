import type { Shell } from '../platform/shell.ts';

/** Round-trip times to devices, by an occasional ping. A missing answer means nothing: a device's firewall may drop pings. */
export interface RoundTrips {
  /** Pings, in the background, the targets whose last ping is old enough. */
  refresh(targets: readonly Target[]): void;
  find(id: string): number | null;
  /** Somebody is looking at these now. */
  watch(ids: readonly string[]): void;
}

export interface Target {
  readonly id: string;
  readonly address: string;
  /** The interface that leads to the device; undefined: the route to its address says which. */
  readonly interfaceName?: string;
}

/** Every ping is a process, so only what somebody looks at is measured often. */
const WATCHED_MS = 15_000;
const OTHERS_MS = 15 * 60_000;
/** The control plane says again with every report what is watched. */
const FORGOTTEN_MS = 20_000;
/** A device that has just connected may still be setting up its routes: the first attempts follow each other sooner. */
const EARLY_MS = 3_000;
const EARLY_ATTEMPTS = 3;
const AT_ONCE = 4;

export function createRoundTrips(shell: Shell, elapsedMs: () => number): RoundTrips {
  const known = new Map<string, { readonly atMs: number; readonly pingMs: number | null; readonly attempts: number }>();
  const watchedAt = new Map<string, number>();
  let waiting: Target[] = [];
  let running = 0;

  function isDue(id: string): boolean {
    const last = known.get(id);
    if (!last) return true;
    const isEarly = last.pingMs === null && last.attempts < EARLY_ATTEMPTS;
    const usualMs = watchedAt.has(id) ? WATCHED_MS : OTHERS_MS;
    return elapsedMs() - last.atMs >= (isEarly ? EARLY_MS : usualMs);
  }

  function startSome(): void {
    while (running < AT_ONCE) {
      const target = waiting.shift();
      if (!target) return;
      running += 1;
      const record = (pingMs: number | null) => {
        known.set(target.id, { atMs: elapsedMs(), pingMs, attempts: (known.get(target.id)?.attempts ?? 0) + 1 });
        running -= 1;
        startSome();
      };
      ping(shell, target).then(record, () => record(null));
    }
  }

  return {
    refresh: (targets) => {
      const live = new Set(targets.map(({ id }) => id));
      for (const id of known.keys()) if (!live.has(id)) known.delete(id);
      for (const [id, at] of watchedAt) if (elapsedMs() - at >= FORGOTTEN_MS) watchedAt.delete(id);
      waiting = targets.filter(({ id }) => isDue(id));
      startSome();
    },
    find: (id) => known.get(id)?.pingMs ?? null,
    watch: (ids) => {
      for (const id of ids) watchedAt.set(id, elapsedMs());
    },
  };
}

async function ping(shell: Shell, { interfaceName, address }: Target): Promise<number | null> {
  try {
    const through = interfaceName === undefined ? [] : ['-I', interfaceName];
    const text = await shell.run('ping', ['-n', '-c1', '-W1', ...through, address], { timeoutMs: 3_000 });
    const time = /time=([\d.]+) ms/.exec(text)?.[1];
    return time === undefined ? null : Number(time);
  } catch {
    return null;
  }
}

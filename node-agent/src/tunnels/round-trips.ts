import type { Shell } from '../platform/shell.ts';

/** How far devices are, by one ping now and then. No answer is no news: a device's firewall may swallow it. */
export interface RoundTrips {
  /** Pings in the background those whose last ping is old enough. */
  refresh(targets: readonly Target[]): void;
  find(id: string): number | null;
}

export interface Target {
  readonly id: string;
  readonly address: string;
  /** Through which the device is reached. */
  readonly interfaceName: string;
}

const EVERY_MS = 15_000;
/** A device that has just shaken hands may still be setting its routes: the first tries come sooner after each other. */
const EARLY_MS = 3_000;
const EARLY_TRIES = 3;
/** A ping is a process; a full node has thousands of devices. */
const AT_ONCE = 4;

export function createRoundTrips(shell: Shell, elapsedMs: () => number): RoundTrips {
  const known = new Map<string, { readonly atMs: number; readonly pingMs: number | null; readonly tries: number }>();
  let waiting: Target[] = [];
  let running = 0;

  function isDue(id: string): boolean {
    const last = known.get(id);
    if (!last) return true;
    const waitMs = last.pingMs === null && last.tries < EARLY_TRIES ? EARLY_MS : EVERY_MS;
    return elapsedMs() - last.atMs >= waitMs;
  }

  function startSome(): void {
    while (running < AT_ONCE) {
      const target = waiting.shift();
      if (!target) return;
      running += 1;
      const note = (pingMs: number | null) => {
        known.set(target.id, { atMs: elapsedMs(), pingMs, tries: (known.get(target.id)?.tries ?? 0) + 1 });
        running -= 1;
        startSome();
      };
      ping(shell, target).then(note, () => note(null));
    }
  }

  return {
    refresh: (targets) => {
      const live = new Set(targets.map(({ id }) => id));
      for (const id of known.keys()) if (!live.has(id)) known.delete(id);
      waiting = targets.filter(({ id }) => isDue(id));
      startSome();
    },
    find: (id) => known.get(id)?.pingMs ?? null,
  };
}

async function ping(shell: Shell, { interfaceName, address }: Target): Promise<number | null> {
  try {
    const text = await shell.run('ping', ['-n', '-c1', '-W1', '-I', interfaceName, address], { timeoutMs: 3_000 });
    const time = /time=([\d.]+) ms/.exec(text)?.[1];
    return time === undefined ? null : Number(time);
  } catch {
    return null;
  }
}

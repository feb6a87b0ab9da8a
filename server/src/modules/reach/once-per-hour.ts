import type { Clock } from '../../platform/clock.ts';

/** In this process's memory, for an hour. */
export interface OncePerHour {
  /** True the first time in an hour. */
  take(key: string): boolean;
}

export function createOncePerHour(clock: Clock): OncePerHour {
  let hour = -1;
  let taken = new Set<string>();
  return {
    take: (key) => {
      const present = Math.floor(clock.now().getTime() / 3_600_000);
      if (present !== hour) taken = new Set();
      hour = present;
      const isFirst = !taken.has(key);
      taken.add(key);
      return isFirst;
    },
  };
}

import type { Clock } from '../../platform/clock.ts';

/** A reading that is shared for so long by all who ask this process. Several at once wait for the same one. */
export interface Remembered<T> {
  read(): Promise<{ readonly value: T; readonly at: Date }>;
  /** Something has changed: the next one reads anew. */
  forget(): void;
}

export function remember<T>(clock: Clock, seconds: number, read: () => Promise<T>): Remembered<T> {
  let latest: { readonly at: Date; readonly value: Promise<T> } | undefined;
  return {
    async read() {
      const now = clock.now();
      if (latest === undefined || now.getTime() - latest.at.getTime() >= seconds * 1000) {
        const fresh = { at: now, value: read() };
        latest = fresh;
        // A failure is nobody's answer but of those who wait for it.
        fresh.value.catch(() => {
          if (latest === fresh) latest = undefined;
        });
      }
      const { at, value } = latest;
      return { at, value: await value };
    },
    forget() {
      latest = undefined;
    },
  };
}

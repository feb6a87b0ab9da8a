/** A wait that can be cut short. */
export interface Signal {
  /** Resolves after the time, or as soon as `notify` is called; at once when it was called since the last wait. */
  wait(ms: number): Promise<void>;
  notify(): void;
}

export function createSignal(): Signal {
  let isNotified = false;
  let release: (() => void) | undefined;
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        if (isNotified) {
          isNotified = false;
          resolve();
          return;
        }
        const timer = setTimeout(() => release?.(), ms);
        release = () => {
          clearTimeout(timer);
          release = undefined;
          isNotified = false;
          resolve();
        };
      }),
    notify: () => {
      if (release) release();
      else isNotified = true;
    },
  };
}

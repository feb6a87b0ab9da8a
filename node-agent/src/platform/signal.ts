/** Waiting that can be cut short. */
export interface Wake {
  /** Resolves after the time, or as soon as `ring` is called; at once when it was called since the last wait. */
  wait(ms: number): Promise<void>;
  ring(): void;
}

export function createWake(): Wake {
  let rung = false;
  let release: (() => void) | undefined;
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        if (rung) {
          rung = false;
          resolve();
          return;
        }
        const timer = setTimeout(() => release?.(), ms);
        release = () => {
          clearTimeout(timer);
          release = undefined;
          rung = false;
          resolve();
        };
      }),
    ring: () => {
      if (release) release();
      else rung = true;
    },
  };
}

const FIRST_MS = 100;
const MAX_MS = 10_000;

/** Exponential back-off with jitter between half and the full delay, for ever: a node never gives up its control plane. */
export interface BackOff {
  nextDelayMs(): number;
  reset(): void;
}

export function createBackOff(random: () => number): BackOff {
  let failures = 0;
  return {
    nextDelayMs: () => {
      const ceiling = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures++, 16));
      return ceiling * (0.5 + random() / 2);
    },
    reset: () => {
      failures = 0;
    },
  };
}

const FIRST_MS = 1_000;
const MOST_MS = 30_000;

/**
 * How long to wait after a number of failures in a row. Half of it is random, so that a thousand panels do not
 * reconnect in the same second after a deployment.
 */
export function backOff(failures: number, chance: () => number): number {
  const ceiling = Math.min(MOST_MS, FIRST_MS * 2 ** failures);
  return ceiling / 2 + (chance() * ceiling) / 2;
}

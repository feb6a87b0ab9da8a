const FIRST_MS = 1_000;
const MOST_MS = 30_000;

/**
 * How long to wait after so many failures in a row. Half of it is chance: a thousand panels do not come back in the
 * same second after a deployment.
 */
export function backOff(failures: number, chance: () => number): number {
  const ceiling = Math.min(MOST_MS, FIRST_MS * 2 ** failures);
  return ceiling / 2 + (chance() * ceiling) / 2;
}

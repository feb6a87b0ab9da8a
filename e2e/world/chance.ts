/** Reproducible random numbers: tests print the seed, and E2E_SEED repeats it. */
export interface Chance {
  readonly seed: number;
  /** 0 ≤ x < below. */
  below(limit: number): number;
  pick<T>(values: readonly T[]): T;
}

export function createChance(seed = Number(process.env.E2E_SEED) || Math.floor(Math.random() * 2 ** 31)): Chance {
  let state = seed;
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { seed, below, pick: (values) => values[below(values.length)]! };
}

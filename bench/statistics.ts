/** Figures of repeated runs. */

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The smallest value that at least `percent` of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const index = Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1);
  return sorted[index] ?? Number.NaN;
}

/** Median of a₁/b₁, a₂/b₂, …: noise that affects both of a pair cancels out. */
export function pairwiseRatio(a: readonly number[], b: readonly number[]): number {
  return median(pairwiseRatios(a, b));
}

export function pairwiseRatios(a: readonly number[], b: readonly number[]): number[] {
  return a.map((value, index) => value / (b[index] ?? Number.NaN));
}

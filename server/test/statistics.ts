/**
 * The chance that a value of `b` is larger than one of `a`, ties counting half (the area under the ROC curve, from the
 * Mann–Whitney U statistic): 0.5 when the two cannot be told apart, 0 or 1 when they always can.
 */
export function chanceOfTelling(a: readonly number[], b: readonly number[]): number {
  const ranked = [...a.map((value) => ({ value, own: false })), ...b.map((value) => ({ value, own: true }))];
  ranked.sort((one, other) => one.value - other.value);
  let rankSum = 0;
  for (let from = 0; from < ranked.length; ) {
    let to = from;
    while (to < ranked.length && ranked[to]?.value === ranked[from]?.value) to += 1;
    // Equal values share the middle of their ranks, which count from 1.
    const rank = (from + 1 + to) / 2;
    for (const entry of ranked.slice(from, to)) if (entry.own) rankSum += rank;
    from = to;
  }
  return (rankSum - (b.length * (b.length + 1)) / 2) / (a.length * b.length);
}

/** The standard deviation of `chanceOfTelling` when both samples come from one distribution. */
export function deviationOfChance(a: number, b: number): number {
  return Math.sqrt((a + b + 1) / (12 * a * b));
}

type Corner = readonly [x: number, y: number];

/**
 * The path of a smooth line through points whose `x` runs in one direction. Between two points it never rises above the higher or
 * falls below the lower one (M. Steffen, “A simple method for monotonic interpolation in one dimension”, 1990).
 */
export function smoothPath(corners: readonly Corner[]): string {
  const slopes = corners.map((_, index) => slopeAt(corners, index));
  return corners
    .map(([x, y], index) => {
      const before = corners[index - 1];
      if (!before) return `M${round(x)} ${round(y)}`;
      const third = (x - before[0]) / 3;
      const [start = 0, end = 0] = [slopes[index - 1], slopes[index]];
      const handles = [before[0] + third, before[1] + third * start, x - third, y - third * end];
      return `C${handles.map(round).join(' ')} ${round(x)} ${round(y)}`;
    })
    .join('');
}

function slopeAt(corners: readonly Corner[], index: number): number {
  const left = slopeBetween(corners[index - 1], corners[index]);
  const right = slopeBetween(corners[index], corners[index + 1]);
  if (left === undefined || right === undefined) return slopeAtEnd(corners, index, left ?? right ?? 0);
  const [before = 0, here = 0, after = 0] = [corners[index - 1]?.[0], corners[index]?.[0], corners[index + 1]?.[0]];
  const parabola = (left * (after - here) + right * (here - before)) / (after - before);
  return (Math.sign(left) + Math.sign(right)) * Math.min(Math.abs(left), Math.abs(right), Math.abs(parabola) / 2);
}

/** At both ends the curve leaves its neighbour's slope to meet the straight line. */
function slopeAtEnd(corners: readonly Corner[], index: number, straight: number): number {
  if (corners.length < 3) return straight;
  return (3 * straight - slopeAt(corners, index === 0 ? 1 : index - 1)) / 2;
}

function slopeBetween(from: Corner | undefined, to: Corner | undefined): number | undefined {
  return from && to && (to[1] - from[1]) / (to[0] - from[0]);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

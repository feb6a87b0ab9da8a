import { expect, test } from 'vitest';
import { smoothPath } from './chart-path.ts';

type Corner = readonly [number, number];

/** Points along a path of `M` and `C` commands. */
function trace(path: string): Corner[][] {
  const numbers = (text: string) => text.split(' ').map(Number);
  const [start = '', ...curves] = path.slice(1).split('C');
  let [x0 = 0, y0 = 0] = numbers(start);
  return curves.map((curve) => {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, x = 0, y = 0] = numbers(curve);
    const at = (t: number, a: number, b: number, c: number, d: number) =>
      (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t ** 2 * c + t ** 3 * d;
    const [fromX, fromY] = [x0, y0];
    [x0, y0] = [x, y];
    return Array.from({ length: 21 }, (_, step): Corner => {
      const t = step / 20;
      return [at(t, fromX, x1, x2, x), at(t, fromY, y1, y2, y)];
    });
  });
}

const days: Corner[] = [0, 40, 38, 200, 200, 10, 90].map((y, index) => [index * 50, y]);

test.each([
  ['left to right', days],
  ['right to left', days.map(([x, y]): Corner => [400 - x, y])],
])('%s: it meets every day, and shows no usage between two days that neither of them had', (_direction, corners) => {
  const curves = trace(smoothPath(corners));
  expect(curves).toHaveLength(corners.length - 1);
  for (const [index, curve] of curves.entries()) {
    const [[, from], [, to]] = [corners[index] as Corner, corners[index + 1] as Corner];
    expect([curve[0], curve.at(-1)]).toEqual([corners[index], corners[index + 1]]);
    for (const [, y] of curve) {
      expect(y).toBeGreaterThanOrEqual(Math.min(from, to) - 0.02);
      expect(y).toBeLessThanOrEqual(Math.max(from, to) + 0.02);
    }
  }
});

test('one day is a point, two are joined by a straight line, none is nothing', () => {
  expect(smoothPath([])).toBe('');
  expect(smoothPath([[5, 7]])).toBe('M5 7');
  const [line = []] = trace(
    smoothPath([
      [0, 0],
      [30, 60],
    ]),
  );
  for (const [x, y] of line) expect(y).toBeCloseTo(2 * x, 1);
});

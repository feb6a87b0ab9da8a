import { BYTES_PER_GB } from '@raha/contract/money.ts';
import type { BytesTrend } from '@raha/contract/public/dashboard.ts';
import { screen } from '@raha/contract/screen-timings.ts';

/** A quiet week stays near the ground instead of looking like a mountain of megabytes. */
const SMALLEST_TOP_GB = 0.5;
/** About so many steps. */
const STEPS = 4;

export interface Point {
  /** `2026-11-20`, a day of Tehran. */
  readonly day: string;
  readonly bytes: number;
  readonly gigabytes: number;
}

export function pointsOf(trend: BytesTrend): Point[] {
  return trend.data.map(({ label, value }) => ({ day: label, bytes: value, gigabytes: value / BYTES_PER_GB }));
}

/** The marks of the vertical axis in GB, from zero to a round figure above the highest day. */
export function marksOf(points: readonly Point[]): readonly number[] {
  const highest = Math.max(SMALLEST_TOP_GB, ...points.map(({ gigabytes }) => gigabytes));
  const step = stepOf(highest);
  const count = Math.ceil(highest / step);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(9)));
}

/** 1, 2 or 5 times a power of ten. */
function stepOf(highest: number): number {
  const exact = highest / STEPS;
  const power = 10 ** Math.floor(Math.log10(exact));
  const factor = [1, 2, 5].find((each) => exact / power <= each * Math.SQRT2) ?? 10;
  return factor * power;
}

export type Level = 'high' | 'medium' | 'low';

/** A day's usage in a word (specification 2, section 9). */
export function levelOf(gigabytes: number): Level {
  const { highGb, mediumGb } = screen.usage;
  return gigabytes > highGb ? 'high' : gigabytes > mediumGb ? 'medium' : 'low';
}

export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly rtl: boolean;
}

export const padding = { top: 32, bottom: 34, axis: 40, end: 18 } as const;

/** Where a day stands: time runs with the writing, so that today is at the end of the line. */
export function xOf(index: number, count: number, { width, rtl }: Frame): number {
  const inner = width - padding.axis - padding.end;
  const along = padding.axis + (count < 2 ? inner / 2 : (inner * index) / (count - 1));
  return rtl ? width - along : along;
}

export function yOf(gigabytes: number, top: number, { height }: Frame): number {
  const inner = height - padding.top - padding.bottom;
  return padding.top + inner * (1 - (top === 0 ? 0 : gigabytes / top));
}

export function nearestIndex(x: number, count: number, frame: Frame): number {
  let best = 0;
  for (let index = 1; index < count; index++) {
    if (Math.abs(xOf(index, count, frame) - x) < Math.abs(xOf(best, count, frame) - x)) best = index;
  }
  return best;
}

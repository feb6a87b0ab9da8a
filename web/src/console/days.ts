import { now } from '../api/clock.ts';

const DAY_MS = 86_400_000;
const TEHRAN_MS = 12_600_000;

/** The first of so many days of Tehran, of which today is the last (`2026-11-20`). */
export function dayBefore(days: number): string {
  return new Date(now() + TEHRAN_MS - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}

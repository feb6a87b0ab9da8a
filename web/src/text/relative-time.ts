import { screen } from '@raha/contract/screen-timings.ts';
import { date, number } from './format.ts';
import { m } from './generated/messages.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long ago an instant was: «هم‌اکنون», minutes, hours, days up to a week, then the date; «نامشخص» for none. */
export function relativeTime(instant: string | null | undefined, nowMs: number): string {
  const at = Date.parse(instant ?? '');
  if (!instant || Number.isNaN(at)) return m.time_unknown();
  // If this device's clock is behind the server's, the instant lies in the future: show it as new.
  const age = nowMs - at;
  if (age < MINUTE_MS) return m.time_now();
  if (age < HOUR_MS) return m.time_minutes({ count: number(Math.floor(age / MINUTE_MS)) });
  if (age < DAY_MS) return m.time_hours({ count: number(Math.floor(age / HOUR_MS)) });
  const days = Math.floor(age / DAY_MS);
  return days <= screen.relativeDays ? m.time_days({ count: number(days) }) : date(instant);
}

/** The only file of the server that reads the time. Tests pass their own clock. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still until `advance`. */
export function manualClock(start: Date): Clock & { advance(milliseconds: number): void } {
  let current = start.getTime();
  return {
    now: () => new Date(current),
    advance(milliseconds) {
      current += milliseconds;
    },
  };
}

export function addSeconds(instant: Date, seconds: number): Date {
  return new Date(instant.getTime() + seconds * 1000);
}

export function addDays(instant: Date, days: number): Date {
  return addSeconds(instant, days * 86_400);
}

/** The Tehran day of an instant, as YYYY-MM-DD in the Gregorian calendar. Iran has had no summer time since 2022. */
export function tehranDay(instant: Date): string {
  return addDays(instant, 3.5 / 24)
    .toISOString()
    .slice(0, 10);
}

/** The time of an instant in Tehran, as YYYY-MM-DD HH:MM in the Gregorian calendar. */
export function tehranTime(instant: Date): string {
  return addDays(instant, 3.5 / 24)
    .toISOString()
    .slice(0, 16)
    .replace('T', ' ');
}

export function secondsBetween(earlier: Date, later: Date): number {
  return (later.getTime() - earlier.getTime()) / 1000;
}

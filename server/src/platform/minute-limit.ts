import type { Clock } from './clock.ts';
import { Refusal } from './refusal.ts';

/** Calls per minute of the clock for one account or object, in this process's memory only. */
export interface MinuteLimit {
  /** Counts a call; refuses `too_many_requests` above the limit. */
  take(key: string, perMinute: number): void;
}

export function createMinuteLimit(clock: Clock): MinuteLimit {
  let minute = -1;
  let counts = new Map<string, number>();
  return {
    take(key, perMinute) {
      const seconds = Math.floor(clock.now().getTime() / 1000);
      if (Math.floor(seconds / 60) !== minute) {
        minute = Math.floor(seconds / 60);
        counts = new Map();
      }
      const count = counts.get(key) ?? 0;
      const wait = 60 - (seconds % 60);
      if (count >= perMinute)
        throw new Refusal('too_many_requests', { details: { seconds: wait }, retryAfterSeconds: wait });
      counts.set(key, count + 1);
    },
  };
}

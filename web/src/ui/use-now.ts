import { useEffect, useState } from 'react';

/** The time in milliseconds, updated at an interval. The clock is passed in, as everywhere. */
export function useNow(clock: () => number, everyMs: number): number {
  const [now, setNow] = useState(clock);
  useEffect(() => {
    const timer = setInterval(() => setNow(clock), everyMs);
    return () => clearInterval(timer);
  }, [clock, everyMs]);
  return now;
}

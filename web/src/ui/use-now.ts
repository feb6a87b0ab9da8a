import { useEffect, useState } from 'react';

/** The time in milliseconds, again every so often. The clock comes from outside, as all time does. */
export function useNow(clock: () => number, everyMs: number): number {
  const [now, setNow] = useState(clock);
  useEffect(() => {
    const timer = setInterval(() => setNow(clock), everyMs);
    return () => clearInterval(timer);
  }, [clock, everyMs]);
  return now;
}

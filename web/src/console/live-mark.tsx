import { useEffect, useState } from 'react';
import { now } from '../api/clock.ts';
import { number } from '../text/format.ts';
import { m } from '../text/generated/messages.js';

/** An answer may take so long to come; from then on its age is counted. */
const TRAVEL_SECONDS = 2;
/** When news are so late, what stands there is old. */
const LATE_SECONDS = 7;

/**
 * How old what is shown is, which is read anew after `every` seconds. It beats once for each answer, and counts seconds only while the next
 * one is late: whatever changes each second makes a browser look at the whole list each second.
 */
export function LiveMark({ at, every }: { at: number | undefined; every: number }) {
  const [, tick] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer begins anew
  useEffect(() => {
    const count = () => {
      tick((before) => before + 1);
      timer = setTimeout(count, 1000);
    };
    let timer = setTimeout(count, (every + TRAVEL_SECONDS) * 1000);
    return () => clearTimeout(timer);
  }, [at, every]);
  if (at === undefined) return null;
  const seconds = Math.max(0, Math.round((now() - at) / 1000));
  return (
    <span className="c-live" data-old={seconds > every + LATE_SECONDS}>
      <svg key={at} viewBox="0 0 12 12" aria-hidden="true">
        <path d="M6 0 12 6 6 12 0 6Z" fill="currentColor" />
        <rect x="1.8" y="1.8" width="8.4" height="8.4" fill="currentColor" />
      </svg>
      {words(seconds, every)}
    </span>
  );
}

function words(seconds: number, every: number): string {
  if (seconds > every + LATE_SECONDS) return m.console_live_old({ seconds: number(seconds) });
  if (seconds >= every + TRAVEL_SECONDS) return m.console_live({ seconds: number(seconds) });
  return m.console_live_every({ seconds: number(every) });
}

import { useEffect, useState } from 'react';
import { now } from '../api/clock.ts';
import { number } from '../text/format.ts';
import { m } from '../text/generated/messages.js';

/** When news are so late, what stands there is old. */
const LATE_SECONDS = 7;

/**
 * How old what is shown is, which is read anew after `every` seconds. It beats once for each answer: a
 * motion without end would cost a browser a tenth of a core. */
export function LiveMark({ at, every }: { at: number | undefined; every: number }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  if (at === undefined) return null;
  const seconds = Math.max(0, Math.round((now() - at) / 1000));
  const isOld = seconds > every + LATE_SECONDS;
  return (
    <span className="c-live" data-old={isOld}>
      <svg key={at} viewBox="0 0 12 12" aria-hidden="true">
        <path d="M6 0 12 6 6 12 0 6Z" fill="currentColor" />
        <rect x="1.8" y="1.8" width="8.4" height="8.4" fill="currentColor" />
      </svg>
      {isOld ? m.console_live_old({ seconds: number(seconds) }) : m.console_live({ seconds: number(seconds) })}
    </span>
  );
}

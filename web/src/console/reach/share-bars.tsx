import type { ReachWay } from '@raha/contract/admin/reach.ts';
import { currentLocale } from '../../text/locale.ts';

const HOUR_MS = 3_600_000;

/**
 * An hour is a track from 0 to 100 and what of it connected; an hour without a figure is empty, so that it cannot be taken for zero. It has
 * no words: its figures stand in the table below it.
 */
export function ShareBars({ from, to, hours }: Pick<ReachWay, 'from' | 'to' | 'hours'>) {
  const hourOf = (instant: string) => Math.floor((Date.parse(instant) - Date.parse(from)) / HOUR_MS);
  const count = hourOf(to) + 1;
  // From right to left in Persian, as the hours are read.
  const column = (instant: string) => (currentLocale() === 'fa' ? count - 1 - hourOf(instant) : hourOf(instant));
  return (
    <svg className="c-bars c-share-bars" viewBox={`0 0 ${count} 100`} preserveAspectRatio="none" aria-hidden="true">
      {hours.map(({ begins, share: { percent } }) => (
        <g key={begins} transform={`translate(${column(begins) + 0.1})`}>
          <rect className="c-track" width={0.8} height={100} />
          <rect y={100 - percent} width={0.8} height={percent} />
        </g>
      ))}
    </svg>
  );
}

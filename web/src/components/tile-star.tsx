import type { ReactNode } from 'react';

/**
 * The khatam in eight tiles, on the night surface: outlines only while the service is cut, beating in turn while a server is
 * waited for, lit when it is there. Decoration: the heading beside it says the same.
 */
export function TileStar({ state, className }: { state: 'out' | 'waiting' | 'lit'; className: string }) {
  return (
    <svg viewBox="0 0 120 120" className={className} aria-hidden strokeLinejoin="round" strokeWidth="2.5">
      {tiles.map((points, index) => (
        <polygon
          key={points}
          points={points}
          className={`${looks[state]} ${state === 'waiting' ? beats[index] : ''}`}
        />
      ))}
      {state === 'lit' && (
        <path
          d="M46 61l10 10 19-21"
          fill="none"
          stroke="var(--on-night)"
          strokeWidth="6"
          strokeLinecap="round"
          pathLength={1}
          strokeDasharray="1"
          className="[animation:draw_.5s_.2s_var(--ease-out)_both]"
        />
      )}
    </svg>
  );
}

/** The same star on the paper: as many tiles lit as belong to the steps that are done. */
export function CountStar({ lit, className, children }: { lit: number; className: string; children: ReactNode }) {
  return (
    <span aria-hidden className={`relative grid place-items-center ${className}`}>
      <svg
        aria-hidden
        viewBox="0 0 120 120"
        className="absolute inset-0 rtl:-scale-x-100"
        strokeLinejoin="round"
        strokeWidth="2.5"
      >
        {tiles.map((points, index) => (
          <polygon
            key={points}
            points={points}
            className={index < lit ? 'fill-chart stroke-chart' : 'fill-line stroke-line'}
          />
        ))}
      </svg>
      <b className="relative text-lg font-extrabold">{children}</b>
    </span>
  );
}

const looks = {
  out: 'fill-none stroke-on-night-2 opacity-60 [stroke-width:1]',
  waiting: 'fill-signal stroke-signal motion-reduce:opacity-60',
  lit: 'fill-signal stroke-signal',
} as const;

/** Written out in full, because Tailwind finds class names by searching the source. */
const beats = [
  '[animation:breathe_1.6s_ease-in-out_infinite]',
  '[animation:breathe_1.6s_.2s_ease-in-out_infinite]',
  '[animation:breathe_1.6s_.4s_ease-in-out_infinite]',
  '[animation:breathe_1.6s_.6s_ease-in-out_infinite]',
  '[animation:breathe_1.6s_.8s_ease-in-out_infinite]',
  '[animation:breathe_1.6s_1s_ease-in-out_infinite]',
  '[animation:breathe_1.6s_1.2s_ease-in-out_infinite]',
  '[animation:breathe_1.6s_1.4s_ease-in-out_infinite]',
] as const;

const tiles = [
  '52.8,37.1 46.4,21.9 60,5.5 73.6,21.9 67.2,37.1',
  '71.1,38.7 77.3,23.5 98.5,21.5 96.5,42.7 81.3,48.9',
  '82.9,52.8 98.1,46.4 114.5,60 98.1,73.6 82.9,67.2',
  '81.3,71.1 96.5,77.3 98.5,98.5 77.3,96.5 71.1,81.3',
  '67.2,82.9 73.6,98.1 60,114.5 46.4,98.1 52.8,82.9',
  '48.9,81.3 42.7,96.5 21.5,98.5 23.5,77.3 38.7,71.1',
  '37.1,67.2 21.9,73.6 5.5,60 21.9,46.4 37.1,52.8',
  '38.7,48.9 23.5,42.7 21.5,21.5 42.7,23.5 48.9,38.7',
] as const;

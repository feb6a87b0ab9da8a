import { useEffect, useState } from 'react';
import { mark } from '../../../gen/star.ts';
import { m } from '../../../text/generated/messages.js';

export interface MapPoint {
  readonly key: string;
  /** A location of the map's own list. */
  readonly location: string;
}

interface MapViewProps {
  label: string;
  points: readonly MapPoint[];
  chosen: string | undefined;
  onChoose(key: string): void;
}

type World = typeof import('../../../gen/world-map.ts');

/** The dotted world with its places. A picture beside the list of places, which says everything in words. */
export function MapView({ label, points, chosen, onChoose }: MapViewProps) {
  const { world, failed } = useWorld();
  if (failed) {
    return (
      <p role="status" data-map-error className="p-6 text-sm text-on-night-2">
        {m.aria_map_failed()}
      </p>
    );
  }
  if (!world) return <div className="aspect-[980/468] m-3 rounded-lg bg-[oklch(1_0_0/.06)]" />;
  const positions: Readonly<Record<string, readonly [number, number]>> = world.positions;
  const target = points.find(({ key }) => key === chosen);
  return (
    <svg
      viewBox={`0 0 ${String(world.width)} ${String(world.height)}`}
      className="w-full h-auto block"
      direction="ltr"
      role="img"
      aria-label={label}
    >
      <path
        d={world.dots}
        fill="none"
        stroke="var(--night-dot)"
        strokeWidth="4.2"
        strokeLinecap="round"
        strokeDasharray={`0 ${String(world.step)}`}
      />
      {target && <Arc key={target.key} from={world.tehran} to={positions[target.location]} />}
      <g className="stroke-night stroke-2">
        {points.map(({ key, location }) => {
          const at = positions[location];
          if (!at) return null;
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the same choice is a button in the list beside the map
            <circle
              key={key}
              cx={at[0]}
              cy={at[1]}
              r={key === chosen ? 9 : 5.5}
              className={`cursor-pointer ${key === chosen ? 'fill-signal' : 'fill-on-night'}`}
              onClick={() => onChoose(key)}
            />
          );
        })}
      </g>
      <g transform={`translate(${String(world.tehran[0] - 12)} ${String(world.tehran[1] - 12)})`}>
        <path d={mark} fill="var(--spark)" stroke="var(--night)" strokeWidth="1.6" />
      </g>
    </svg>
  );
}

function Arc({ from, to }: { from: readonly [number, number]; to: readonly [number, number] | undefined }) {
  if (!to) return null;
  const rise = Math.hypot(to[0] - from[0], to[1] - from[1]) * 0.28;
  const middle = `${String((to[0] + from[0]) / 2)} ${String(Math.max(4, (to[1] + from[1]) / 2 - rise))}`;
  return (
    <path
      d={`M${from.join(' ')}Q${middle} ${to.join(' ')}`}
      pathLength={1}
      fill="none"
      stroke="var(--signal)"
      strokeWidth="3"
      strokeDasharray="1"
      strokeLinecap="round"
      className="[animation:draw_1.1s_var(--ease-out)_both]"
    />
  );
}

/** The map comes by itself; without it the list of places is enough. */
function useWorld(): { world: World | undefined; failed: boolean } {
  const [world, setWorld] = useState<World>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    import('../../../gen/world-map.ts').then(setWorld, () => setFailed(true));
  }, []);
  return { world, failed };
}

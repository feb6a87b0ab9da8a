import { mark } from '../../../gen/star.ts';
import { arc, city, dots } from '../../../gen/strip-map.ts';

/** The dotted map behind the connection; the arc is drawn once, when a device is connected. Decoration only. */
export function ConnectionMap({ live }: { live: boolean }) {
  const [x, y] = city.tehran;
  const [farX, farY] = city.frankfurt;
  return (
    <div
      aria-hidden
      className="absolute -z-10 inset-y-0 end-0 h-full w-full sm:w-[62%] rtl:[mask-image:linear-gradient(to_right,#000_58%,transparent_96%)] ltr:[mask-image:linear-gradient(to_left,#000_58%,transparent_96%)] max-sm:opacity-35"
    >
      <svg viewBox="0 0 900 320" preserveAspectRatio="xMinYMid slice" direction="ltr" aria-hidden className="size-full">
        <path
          d={dots}
          stroke="var(--night-dot)"
          strokeWidth="4.4"
          strokeLinecap="round"
          strokeDasharray="0 12.5"
          fill="none"
        />
        {live && (
          <g className="max-sm:hidden">
            <path
              d={arc}
              pathLength={1}
              fill="none"
              stroke="var(--signal)"
              strokeWidth="3"
              strokeLinecap="round"
              strokeDasharray="1"
              className="[animation:draw_1.1s_.2s_var(--ease-out)_both]"
            />
            <circle cx={farX} cy={farY} r="8" fill="var(--signal)" stroke="var(--night)" strokeWidth="3" />
            <g transform={`translate(${x - 14} ${y - 14}) scale(1.16)`}>
              <path d={mark} fill="var(--spark)" stroke="var(--night)" strokeWidth="1.6" />
            </g>
          </g>
        )}
      </svg>
    </div>
  );
}

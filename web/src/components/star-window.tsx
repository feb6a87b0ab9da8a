import { mark, star, starInner } from '../gen/star.ts';
import { arcs, city, dots } from '../gen/window-map.ts';

type Destination = keyof typeof arcs;
type Labels = Readonly<Record<Destination | 'tehran', string>>;

const main: Destination = 'frankfurt';
const others = ['amsterdam', 'helsinki', 'istanbul', 'dubai'] as const;
/** Written out in full, because Tailwind finds class names by searching the source. */
const delays = {
  amsterdam: '[animation:draw_1s_.5s_var(--ease-out)_both]',
  helsinki: '[animation:draw_1s_.62s_var(--ease-out)_both]',
  istanbul: '[animation:draw_1s_.74s_var(--ease-out)_both]',
  dubai: '[animation:draw_1s_.86s_var(--ease-out)_both]',
};

/**
 * The khatam as a window on the open network: a dotted map with arcs from Tehran. A picture, not a claim about servers.
 * No style attributes: the static pages are served under a policy that forbids them.
 */
export function StarWindow({ title, labels }: { title?: string; labels?: Labels }) {
  const [x, y] = city.tehran;
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: without a title it is hidden from assistive technology
    <svg
      viewBox="0 0 640 640"
      className="w-full h-auto block"
      direction="ltr"
      role={title ? 'img' : undefined}
      aria-hidden={!title}
    >
      {title && <title>{title}</title>}
      <Definitions />
      <path d={star} fill="url(#sky)" />
      <g clipPath="url(#window)" fill="none">
        <path d={dots} stroke="var(--night-dot)" strokeWidth="4.6" strokeLinecap="round" strokeDasharray="0 12.5" />
        {others.map((name) => (
          <path
            key={name}
            d={arcs[name]}
            pathLength={1}
            stroke="var(--on-night)"
            strokeOpacity=".34"
            strokeWidth="1.5"
            strokeDasharray="1"
            className={delays[name]}
          />
        ))}
        <g strokeWidth="3.5" strokeLinecap="round">
          <path
            d={arcs[main]}
            pathLength={1}
            stroke="url(#arc)"
            strokeDasharray="1"
            className="[animation:draw_1.2s_.2s_var(--ease-out)_both]"
          />
          <path
            d={arcs[main]}
            pathLength={1}
            stroke="var(--on-night)"
            strokeDasharray=".04 1"
            className="motion-reduce:hidden [animation:flow_2.2s_1.4s_linear_infinite]"
          />
        </g>
        <Cities />
        <g transform={`translate(${x - 13} ${y - 13}) scale(1.08)`}>
          <path d={mark} fill="var(--spark)" stroke="var(--night)" strokeWidth="1.6" />
        </g>
      </g>
      <path d={starInner} fill="none" stroke="var(--on-night)" strokeOpacity=".16" strokeWidth="1.5" />
      {labels && <CityNames labels={labels} />}
    </svg>
  );
}

function Definitions() {
  const [x1, y1] = city.tehran;
  const [x2, y2] = city[main];
  return (
    <defs>
      <radialGradient id="sky" cx="0.16" cy="0.12" r="1.05">
        <stop offset="0" stopColor="var(--night-3)" />
        <stop offset=".5" stopColor="var(--night-2)" />
        <stop offset="1" stopColor="var(--night)" />
      </radialGradient>
      <clipPath id="window">
        <path d={star} />
      </clipPath>
      <linearGradient id="arc" gradientUnits="userSpaceOnUse" x1={x1} y1={y1} x2={x2} y2={y2}>
        <stop offset="0" stopColor="var(--spark)" />
        <stop offset=".55" stopColor="var(--signal)" />
      </linearGradient>
    </defs>
  );
}

function Cities() {
  const [mainX, mainY] = city[main];
  return (
    <>
      {others.map((name) => (
        <circle
          key={name}
          cx={city[name][0]}
          cy={city[name][1]}
          r="4.5"
          fill="var(--on-night)"
          stroke="var(--night)"
          strokeWidth="2"
        />
      ))}
      <circle
        cx={mainX}
        cy={mainY}
        r="11"
        stroke="var(--signal)"
        strokeWidth="2"
        className="[transform-box:fill-box] origin-center motion-reduce:hidden [animation:ping_2.4s_var(--ease-out)_infinite]"
      />
      <circle cx={mainX} cy={mainY} r="7" fill="var(--signal)" stroke="var(--night)" strokeWidth="3" />
    </>
  );
}

function CityNames({ labels }: { labels: Labels }) {
  const [x, y] = city.tehran;
  const [mainX, mainY] = city[main];
  return (
    <g fontSize="17" textAnchor="middle" fill="var(--on-night)" className="[direction:rtl]">
      <text x={x + 4} y={y + 42} fontWeight="700" className="max-sm:text-[27px]">
        {labels.tehran}
      </text>
      <text x={mainX} y={mainY + 36} fontWeight="700" className="max-sm:text-[27px]">
        {labels[main]}
      </text>
      {others.map((name) => {
        const above = name === 'helsinki' || name === 'amsterdam';
        return (
          <text
            key={name}
            className="max-sm:hidden"
            x={name === 'amsterdam' ? city[name][0] - 6 : city[name][0]}
            y={above ? city[name][1] - 14 : city[name][1] + 26}
            opacity=".82"
            fontWeight="500"
          >
            {labels[name]}
          </text>
        );
      })}
    </g>
  );
}

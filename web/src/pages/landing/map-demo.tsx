import { mark } from '../../gen/star.ts';
import { dots, height, positions, step, tehran, width } from '../../gen/world-map.ts';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { landingText } from './landing-text.ts';
import { locations } from './locations.ts';
import { Section } from './section.tsx';

const positionOf: Readonly<Record<string, readonly [number, number]>> = positions;

/** Choosing a city and "connecting" to it. The script reads the locations from the buttons. */
export function MapDemo() {
  const text = landingText().map;
  return (
    <Section id="map" title={text.title} text={text.text} demo>
      <div className="night rounded-xl overflow-hidden lg:grid lg:grid-cols-[1.9fr_1fr]" data-map-demo="">
        <div className="p-3 sm:p-6 self-center">
          <World />
        </div>
        <div className="p-5 sm:p-7 flex flex-col gap-4 border-night-line max-lg:border-t lg:border-s">
          <Status />
          <p className="text-sm text-on-night-2 scripted:hidden">
            {text.noScript} {locations.map(({ city }) => city[currentLocale()]).join(m.comma())}
          </p>
          <Cities />
        </div>
      </div>
    </Section>
  );
}

function World() {
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      className="w-full h-auto block"
      direction="ltr"
      role="img"
      aria-label={landingText().map.svg}
    >
      <path
        d={dots}
        fill="none"
        stroke="var(--night-dot)"
        strokeWidth="4.2"
        strokeLinecap="round"
        strokeDasharray={`0 ${step}`}
      />
      <path
        data-arc=""
        pathLength={1}
        fill="none"
        stroke="var(--signal)"
        strokeWidth="3"
        strokeDasharray="1"
        strokeLinecap="round"
      />
      <g className="fill-on-night stroke-night stroke-2 [&>circle]:cursor-pointer [&>[data-chosen]]:fill-signal [&>[data-chosen]]:[r:9px]">
        {locations.map(({ key, primary }) => (
          <circle
            key={key}
            data-secondary={primary ? undefined : ''}
            cx={positionOf[key]![0]}
            cy={positionOf[key]![1]}
            r="5.5"
          />
        ))}
      </g>
      <g transform={`translate(${tehran[0] - 12} ${tehran[1] - 12})`}>
        <path d={mark} fill="var(--spark)" stroke="var(--night)" strokeWidth="1.6" />
      </g>
    </svg>
  );
}

function Status() {
  const text = landingText().map;
  return (
    <div>
      <p
        className="text-xl font-black"
        role="status"
        data-map-status=""
        data-idle={text.idle}
        data-connecting={text.connecting}
        data-connected={text.connected}
        data-ms={landingText().aria.ms}
      >
        {text.idle}
      </p>
      <p className="text-sm text-on-night-2 min-h-6" data-map-detail="" data-idle={text.idleText}>
        {text.idleText}
      </p>
      <button type="button" className="btn btn-night btn-sm mt-3" data-map-disconnect="" hidden>
        {text.disconnect}
      </button>
    </div>
  );
}

function Cities() {
  const text = landingText().map;
  const locale = currentLocale();
  return (
    <div className="unscripted:hidden">
      <h3 className="text-sm font-bold text-on-night-2 mb-2" id="map-cities">
        {text.choose}
      </h3>
      <ul
        aria-labelledby="map-cities"
        className="flex flex-wrap gap-2 [&_bdi]:font-code [&_bdi]:text-xs [&_button]:gap-2 [&_button]:px-3 [&_[aria-pressed=true]]:bg-signal [&_[aria-pressed=true]]:text-night"
      >
        {locations.map((location) => (
          <li key={location.key} data-secondary={location.primary ? undefined : ''}>
            <button
              type="button"
              data-location={location.key}
              data-city={location.city[locale]}
              data-latitude={location.latitude}
              data-longitude={location.longitude}
              data-ping={location.pingMs}
              data-premium={location.premium || undefined}
              aria-pressed="false"
              className="btn btn-night btn-sm"
            >
              <bdi dir="ltr">{location.country}</bdi>
              {location.city[locale]}
            </button>
          </li>
        ))}
      </ul>
      <button type="button" className="btn btn-night-quiet btn-sm mt-3" data-map-all={text.fewer} data-fewer={text.all}>
        {text.all}
      </button>
    </div>
  );
}

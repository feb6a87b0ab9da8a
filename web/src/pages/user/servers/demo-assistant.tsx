import { screen } from '@raha/contract/screen-timings.ts';
import { CircleCheck, PowerOff, RotateCcw } from 'lucide-react';
import { useEffect, useReducer, useState } from 'react';
import { degreesFromIran, type Part, recommend, sayReasons } from '../../../site-scripts/score-locations.ts';
import { countryName, milliseconds, number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { currentLocale } from '../../../text/locale.ts';
import { landingText } from '../../landing/landing-text.ts';
import { type Location, locations } from '../../landing/locations.ts';
import { type DemoEvent, type DemoState, decideDemo, initialDemo } from './assistant-state.ts';
import { MapView } from './map-view.tsx';
import { Preferences, Steps, suggestionFor, Thinking } from './preferences.tsx';

/** ARIA and the map over sample places: nothing is measured and nothing is connected, and the screen says so. */
export default function DemoAssistant() {
  const [state, tell] = useReducer(decideDemo, initialDemo);
  useEffect(() => {
    if (!state.analysing) return;
    const timer = setTimeout(() => tell({ type: 'analysed' }), screen.demo.analysisMs);
    return () => clearTimeout(timer);
  }, [state.analysing]);
  useEffect(() => {
    if (state.connection !== 'connecting') return;
    const timer = setTimeout(() => tell({ type: 'connected' }), screen.demo.connectMs);
    return () => clearTimeout(timer);
  }, [state.connection]);
  return (
    <div className="grid gap-4 sm:gap-5 xl:grid-cols-[1.5fr_1fr] items-start">
      <WorldCard state={state} onTell={tell} />
      <section className="panel p-5 sm:p-7 max-xl:order-first" aria-label={landingText().assistant.title}>
        <Steps current={state.step} />
        <Step state={state} onTell={tell} />
      </section>
    </div>
  );
}

interface PartProps {
  state: DemoState;
  onTell(event: DemoEvent): void;
}

function WorldCard({ state, onTell }: PartProps) {
  const text = landingText().map;
  const [all, setAll] = useState(false);
  const shown = locations.filter(({ primary, key }) => all || primary || key === state.selected);
  const location = locations.find(({ key }) => key === state.selected);
  const sentence = { disconnected: text.idle, connecting: text.connecting, connected: text.connected }[
    state.connection
  ];
  const choose = (key: string) => onTell({ type: 'select', key });
  return (
    <section className="night rounded-xl overflow-hidden" aria-label={text.title}>
      <div className="p-3 sm:p-5">
        <MapView
          label={text.svg}
          points={shown.map(({ key }) => ({ key, location: key }))}
          chosen={state.selected}
          onChoose={choose}
        />
      </div>
      <div className="p-5 sm:p-7 border-t border-night-line">
        <p className="text-xl font-black" role="status">
          {sentence.replace('{city}', location ? cityOf(location) : '')}
        </p>
        <p className="text-sm text-on-night-2 min-h-6">
          {location ? locationLine(location, state.connection === 'connected') : text.idleText}
        </p>
        {state.connection === 'connected' && (
          <button type="button" className="btn btn-night btn-sm mt-3" onClick={() => onTell({ type: 'disconnect' })}>
            <PowerOff className="size-4" aria-hidden />
            {text.disconnect}
          </button>
        )}
        <h2 className="text-sm font-bold text-on-night-2 mt-5 mb-2" id="demo-cities">
          {text.choose}
        </h2>
        <ul aria-labelledby="demo-cities" className="grid grid-cols-2 min-[768px]:flex min-[768px]:flex-wrap gap-2">
          {shown.map((location) => (
            <li key={location.key}>
              <button
                type="button"
                aria-pressed={location.key === state.selected}
                className="btn btn-night btn-sm gap-2 px-3 max-[767px]:w-full aria-pressed:bg-signal aria-pressed:text-night"
                onClick={() => choose(location.key)}
              >
                <bdi dir="ltr" className="font-code text-xs">
                  {location.country}
                </bdi>
                {cityOf(location)}
              </button>
            </li>
          ))}
        </ul>
        <button
          type="button"
          className="btn btn-night-quiet btn-sm mt-3"
          aria-pressed={all}
          onClick={() => setAll(!all)}
        >
          {all ? text.fewer : text.all}
        </button>
      </div>
    </section>
  );
}

function Step({ state, onTell }: PartProps) {
  const text = landingText().assistant;
  if (state.step === 0) {
    return (
      <Preferences
        priority={state.priority}
        usage={state.usage}
        onAnalyse={(priority, usage) => onTell({ type: 'analyse', priority, usage })}
      />
    );
  }
  if (state.analysing) return <Thinking />;
  if (state.step === 2) return <Connected state={state} onTell={onTell} />;
  return (
    <>
      <p className="font-bold" role="status">
        {suggestionFor(state.usage)}
      </p>
      <ol className="grid gap-3 mt-4">
        {recommend(locations, state.priority, state.usage).map((location, index) => (
          <li key={location.key} className="card p-4 flex flex-wrap items-center gap-x-4 gap-y-2">
            <bdi dir="ltr" className="font-code text-sm rounded-sm bg-surface-2 px-2 py-1 text-text-2">
              {location.country}
            </bdi>
            <span className="me-auto basis-48">
              <b>{cityOf(location)}</b>
              {index === 0 && <span className="badge bg-spark-soft text-spark-text ms-2">{text.best}</span>}
              {location.premium && <span className="badge bg-accent-soft text-accent ms-2">{text.premium}</span>}
              <span className="block text-sm text-text-3">
                {sayReasons(text.reasons, location.reasons, (part) => figureOf(location, part))}
              </span>
            </span>
            <button
              type="button"
              className="btn btn-ghost btn-sm"
              aria-disabled={state.connection === 'connecting'}
              onClick={() => onTell({ type: 'select', key: location.key })}
            >
              {state.connection === 'connecting' && state.selected === location.key
                ? m.aria_connecting()
                : text.connect}
              <span className="sr-only"> {cityOf(location)}</span>
            </button>
          </li>
        ))}
      </ol>
      <Restart onTell={onTell} />
    </>
  );
}

function Connected({ state, onTell }: PartProps) {
  const location = locations.find(({ key }) => key === state.selected);
  return (
    <div className="grid justify-items-start gap-2">
      <CircleCheck className="size-12 text-success" aria-hidden />
      <p className="text-xl font-black" role="status">
        {landingText().assistant.connected.replace('{city}', location ? cityOf(location) : '')}
      </p>
      <p className="text-text-2">{m.aria_demo_end()}</p>
      <Restart onTell={onTell} />
    </div>
  );
}

function Restart({ onTell }: Pick<PartProps, 'onTell'>) {
  return (
    <button type="button" className="btn btn-ghost btn-sm mt-4" onClick={() => onTell({ type: 'restart' })}>
      <RotateCcw className="size-4" aria-hidden />
      {landingText().assistant.restart}
    </button>
  );
}

/** A premium location has no figure. */
function figureOf(location: Location, part: Part): string {
  return number(part === 'ping' ? location.pingMs : Math.round(degreesFromIran(location)));
}

function cityOf(location: Location): string {
  return location.city[currentLocale()];
}

function locationLine(location: Location, connected: boolean): string {
  return connected
    ? `${countryName(location.country)} · ${milliseconds(location.pingMs)}`
    : countryName(location.country);
}

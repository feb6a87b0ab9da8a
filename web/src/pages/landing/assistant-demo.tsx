import { CircleCheck } from 'lucide-react';
import { Khatam } from '../../components/logo.tsx';
import { number } from '../../text/format.ts';
import { accountPaths } from '../site/site-paths.ts';
import { siteText } from '../site/text/site-text.ts';
import { landingText } from './landing-text.ts';
import { CountryCode, Section } from './section.tsx';

/** ARIA's three steps: preference, three suggestions, connected. The script scores the places of the map. */
export function AssistantDemo() {
  const text = landingText().assistant;
  return (
    <Section id="aria" title={text.title} text={text.text} demo>
      <div className="panel p-5 sm:p-8 lg:grid lg:grid-cols-[16rem_1fr] lg:gap-10" data-assistant="">
        <div className="flex lg:flex-col items-center lg:items-start gap-4 lg:gap-6 max-lg:mb-6">
          <Khatam className="size-14 lg:size-24 text-spark shrink-0" />
          <ol className="grid gap-1.5 text-sm text-text-3 max-sm:text-xs">
            {text.steps.map((step, index) => (
              <li
                key={step}
                data-step={index}
                aria-current={index === 0 ? 'step' : undefined}
                className="flex items-center gap-2.5 aria-[current=step]:text-text aria-[current=step]:font-bold group"
              >
                <span className="grid place-items-center size-7 rounded-full bg-surface-2 group-aria-[current=step]:bg-spark-soft group-aria-[current=step]:text-spark-text">
                  {number(index + 1)}
                </span>
                {step}
              </li>
            ))}
          </ol>
        </div>
        <p className="scripted:hidden text-text-2">{text.noScript}</p>
        <div className="min-h-[19rem] lg:content-center lg:grid unscripted:hidden">
          <Preferences />
          <Suggestions />
          <Connected />
        </div>
      </div>
    </Section>
  );
}

function Preferences() {
  const text = landingText().assistant;
  return (
    <form data-assistant-step="0" className="grid gap-6 lg:gap-8">
      <Choices legend={text.priority} name="priority" choices={Object.entries(text.priorities)} />
      <Choices legend={text.usage} name="usage" choices={Object.entries(text.usages)} />
      <button type="submit" className="btn btn-ghost justify-self-start max-sm:w-full">
        <Khatam className="size-5 text-spark" />
        {text.analyse}
      </button>
    </form>
  );
}

function Choices({ legend, name, choices }: { legend: string; name: string; choices: [string, string][] }) {
  return (
    <fieldset>
      <legend className="font-bold mb-2">{legend}</legend>
      <div className="flex flex-wrap gap-2">
        {choices.map(([value, label], index) => (
          <label
            key={value}
            className="btn btn-ghost btn-sm lg:min-h-14 lg:min-w-28 cursor-pointer has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
          >
            <input type="radio" name={name} value={value} defaultChecked={index === 0} className="sr-only" />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Suggestions() {
  const text = landingText().assistant;
  return (
    <div data-assistant-step="1" hidden>
      <p
        className="font-bold"
        role="status"
        tabIndex={-1}
        data-assistant-says=""
        data-analysing={text.analysing}
        data-result={text.result}
      >
        {text.analysing}
      </p>
      <div data-assistant-wait="" className="grid gap-3 mt-4" aria-hidden="true">
        <div className="skeleton h-60 rounded-md" />
      </div>
      <ol data-assistant-results={JSON.stringify(text.reasons)} className="grid gap-3 mt-4" hidden>
        {[0, 1, 2].map((row) => (
          <li key={row} data-suggestion="" className="card p-4 flex flex-wrap items-center gap-x-4 gap-y-2">
            <CountryCode code="" className="rounded-sm bg-surface-2 px-2 py-1 text-text-2" />
            <span className="me-auto basis-48">
              <b data-city="" />
              {row === 0 && <span className="badge bg-spark-soft text-spark-text ms-2">{text.best}</span>}
              <span className="block text-sm text-text-3" data-reason="" />
            </span>
            <button type="button" className="btn btn-ghost btn-sm" data-choose="">
              {text.connect}
              <span className="sr-only" data-city="" />
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Connected() {
  const text = landingText().assistant;
  return (
    <div data-assistant-step="2" hidden className="grid justify-items-start gap-2">
      <CircleCheck className="size-12 text-success" aria-hidden="true" />
      <p className="text-xl font-black" tabIndex={-1} data-assistant-connected={text.connected} />
      <p className="text-text-2 max-w-[32rem]">{text.connectedText}</p>
      <div className="flex flex-wrap gap-3 mt-3">
        <button type="button" className="btn btn-ghost" data-assistant-restart="">
          {text.restart}
        </button>
        <a href={accountPaths.signIn} className="btn btn-quiet">
          {siteText().start}
        </a>
      </div>
    </div>
  );
}

import type { FormEvent } from 'react';
import { Khatam } from '../../../components/logo.tsx';
import type { Priority, Usage } from '../../../site-scripts/score-locations.ts';
import { number } from '../../../text/format.ts';
import { landingText } from '../../landing/landing-text.ts';

interface PreferencesProps {
  priority: Priority;
  usage: Usage;
  onAnalyse(priority: Priority, usage: Usage): void;
}

/** Step 0: what matters, and what for. */
export function Preferences({ priority, usage, onAnalyse }: PreferencesProps) {
  const text = landingText().assistant;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const chosen = new FormData(event.currentTarget);
    onAnalyse(chosen.get('priority') as Priority, chosen.get('usage') as Usage);
  };
  return (
    <form onSubmit={submit} className="grid gap-6">
      <Choices legend={text.priority} name="priority" chosen={priority} choices={Object.entries(text.priorities)} />
      <Choices legend={text.usage} name="usage" chosen={usage} choices={Object.entries(text.usages)} />
      <button type="submit" className="btn btn-primary justify-self-start max-sm:w-full">
        <Khatam className="size-5" />
        {text.analyse}
      </button>
    </form>
  );
}

interface ChoicesProps {
  legend: string;
  name: string;
  chosen: string;
  choices: readonly [string, string][];
}

function Choices({ legend, name, chosen, choices }: ChoicesProps) {
  return (
    <fieldset>
      <legend className="font-bold mb-2">{legend}</legend>
      <div className="flex flex-wrap gap-2">
        {choices.map(([value, label]) => (
          <label
            key={value}
            className="btn btn-ghost btn-sm cursor-pointer has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
          >
            <input type="radio" name={name} value={value} defaultChecked={value === chosen} className="sr-only" />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Which of the three steps it is. */
export function Steps({ current }: { current: number }) {
  return (
    <ol className="flex flex-wrap gap-x-5 gap-y-2 text-sm text-text-3 mb-6">
      {landingText().assistant.steps.map((step, index) => (
        <li
          key={step}
          aria-current={index === current ? 'step' : undefined}
          className="flex items-center gap-2 aria-[current=step]:text-text aria-[current=step]:font-bold group"
        >
          <span className="grid place-items-center size-7 rounded-full bg-surface-2 group-aria-[current=step]:bg-spark-soft group-aria-[current=step]:text-spark-text">
            {number(index + 1)}
          </span>
          {step}
        </li>
      ))}
    </ol>
  );
}

/** What the suggestions are for, in the words of the choice. */
export function suggestionFor(usage: Usage): string {
  const { result, usages } = landingText().assistant;
  return result.replace('{usage}', usages[usage].toLowerCase());
}

export function Thinking() {
  return (
    <>
      <p className="font-bold" role="status">
        {landingText().assistant.analysing}
      </p>
      <div className="grid gap-3 mt-4" aria-hidden="true">
        {[0, 1, 2].map((row) => (
          <div key={row} className="skeleton h-[4.5rem] !rounded-md" />
        ))}
      </div>
    </>
  );
}

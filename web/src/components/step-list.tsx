import { number } from '../text/format.ts';

export function StepList({ steps }: { steps: readonly string[] }) {
  return (
    <ol className="grid gap-3 mt-4 text-sm text-text-2">
      {steps.map((step, index) => (
        <li key={step} className="flex items-start gap-3">
          <span
            aria-hidden
            className="grid place-items-center size-6 shrink-0 rounded-full bg-accent-soft text-accent text-xs font-bold"
          >
            {number(index + 1)}
          </span>
          {step}
        </li>
      ))}
    </ol>
  );
}

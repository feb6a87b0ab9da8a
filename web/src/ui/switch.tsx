import { useId } from 'react';

interface SwitchProps {
  label: string;
  hint?: string;
  /** Where several switches of one label stand on a page; contains the label. */
  accessibleName?: string;
  checked: boolean;
  /** Keeps its state and can be read, but does nothing. */
  busy?: boolean;
  onChange(checked: boolean): void;
}

/** A setting that takes effect at once. */
export function Switch({ label, hint, accessibleName, checked, busy = false, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-4">
      <div className="flex-1 min-w-0">
        <p id={`${id}-label`} className="font-bold">
          {label}
        </p>
        {hint && (
          <p id={`${id}-hint`} className="text-sm text-text-2">
            {hint}
          </p>
        )}
      </div>
      <button
        type="button"
        role="switch"
        aria-checked={checked}
        {...(accessibleName ? { 'aria-label': accessibleName } : { 'aria-labelledby': `${id}-label` })}
        aria-describedby={hint ? `${id}-hint` : undefined}
        aria-disabled={busy || undefined}
        onClick={() => !busy && onChange(!checked)}
        className="group grid place-items-center w-14 h-11 shrink-0"
      >
        <span
          aria-hidden
          className="flex w-12 h-7 rounded-full p-1 bg-line-control group-aria-checked:bg-accent group-aria-checked:justify-end group-aria-disabled:opacity-50 transition-colors"
        >
          <span className="size-5 rounded-full bg-surface" />
        </span>
      </button>
    </div>
  );
}

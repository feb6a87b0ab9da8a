import { CircleAlert } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  label: string;
  hint?: ReactNode;
  problem?: string | undefined;
  onText?: (value: string) => void;
  ref?: React.Ref<HTMLInputElement>;
}

/** Label above, hint or error below at the start side; the error has an icon, never colour alone. */
export function TextField({ label, hint, problem, onText, className = '', ...input }: TextFieldProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="block text-sm font-semibold text-text-2 mb-1.5">
        {label}
      </label>
      <input
        {...input}
        id={id}
        className={`input ${className}`}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem || hint ? `${id}-note` : undefined}
        onChange={(event) => onText?.(event.target.value)}
      />
      <FieldNote id={`${id}-note`} problem={problem} hint={hint} />
    </div>
  );
}

export function FieldNote({ id, problem, hint }: { id?: string; problem?: string | undefined; hint?: ReactNode }) {
  if (!problem && !hint) return null;
  return (
    <div id={id} className="mt-1.5 text-sm" aria-live="polite">
      {problem ? (
        <p className="flex items-start gap-1.5 font-medium text-danger">
          <CircleAlert className="size-4 shrink-0 mt-1" aria-hidden />
          {problem}
        </p>
      ) : (
        <div className="text-text-3">{hint}</div>
      )}
    </div>
  );
}

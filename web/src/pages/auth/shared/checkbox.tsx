import { type ReactNode, useId } from 'react';
import { FieldNote } from '../../../ui/text-field.tsx';

interface CheckboxProps {
  name: string;
  checked: boolean;
  problem?: string | undefined;
  onChange(checked: boolean): void;
  children: ReactNode;
}

export function Checkbox({ name, checked, problem, onChange, children }: CheckboxProps) {
  const id = useId();
  return (
    <div>
      <div className="flex items-center gap-2.5 min-h-11">
        <input
          id={id}
          type="checkbox"
          name={name}
          checked={checked}
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? `${id}-note` : undefined}
          onChange={(event) => onChange(event.target.checked)}
          className="size-5 shrink-0 accent-[var(--accent)] cursor-pointer"
        />
        <label htmlFor={id} className="text-sm text-text-2 cursor-pointer py-2">
          {children}
        </label>
      </div>
      <FieldNote id={`${id}-note`} problem={problem} />
    </div>
  );
}

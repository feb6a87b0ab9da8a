interface ChoiceProps<T extends string> {
  label: string;
  name: string;
  options: readonly { readonly value: T; readonly label: string }[];
  value: T;
  onChange(value: T): void;
}

/** A choice between a few options side by side: native radio buttons, styled as one control. */
export function Choice<T extends string>({ label, name, options, value, onChange }: ChoiceProps<T>) {
  return (
    <fieldset>
      <legend className="font-bold mb-1.5">{label}</legend>
      <div className="inline-flex max-w-full flex-wrap rounded-md bg-sunken dark:bg-surface-2 p-1 gap-1">
        {options.map((option) => (
          <label key={option.value} className="cursor-pointer">
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              className="peer sr-only"
              onChange={() => onChange(option.value)}
            />
            <span className="flex items-center min-h-11 px-4 rounded-sm text-sm font-medium text-text-2 peer-checked:bg-surface peer-checked:text-text peer-checked:font-bold peer-checked:shadow-1 peer-focus-visible:outline-2 peer-focus-visible:outline-accent">
              {option.label}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

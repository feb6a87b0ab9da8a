import { type InputHTMLAttributes, useId } from 'react';

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  onText(text: string): void;
}

/** A labelled input; what is wrong with it is read with it. */
export function Field({ label, hint, error, onText, ...input }: Props) {
  const own = useId();
  const id = input.id ?? own;
  const note = error ?? hint;
  return (
    <div className="c-field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        className="c-input"
        aria-invalid={error ? true : undefined}
        aria-describedby={note ? `${id}-note` : undefined}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      {note ? (
        <p id={`${id}-note`} className={error ? 'c-wrong' : 'c-hint'}>
          {note}
        </p>
      ) : null}
    </div>
  );
}

/** A field for a code that is entered once: the keyboard has digits, and the device may fill it in. */
export function CodeField(props: Props) {
  return <Field {...props} inputMode="numeric" autoComplete="one-time-code" dir="ltr" />;
}

import { cleanCode } from '@raha/contract/persian.ts';
import { type SyntheticEvent, useId } from 'react';

/** As many boxes as the longest code has digits. */
const BOXES = [0, 1, 2, 3, 4, 5, 6, 7];

interface OtpProps {
  label: string;
  value: string;
  /** Boxes, one per digit of the code. */
  digits: number;
  problem: boolean;
  describedBy?: string;
  busy: boolean;
  /** Formats a digit in the script of the page's language. */
  show(digit: string): string;
  onChange(code: string): void;
  inputRef: React.RefObject<HTMLInputElement | null>;
}

/** One real input drawn as boxes, so that paste, autofill from mail, input methods and screen readers work. */
export function Otp({ label, value, digits, problem, describedBy, busy, show, onChange, inputRef }: OtpProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="block text-sm font-semibold text-text-2 mb-2">
        {label}
      </label>
      <div className="relative" dir="ltr">
        <input
          ref={inputRef}
          id={id}
          name="code"
          value={value}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={64}
          readOnly={busy}
          aria-invalid={problem || undefined}
          aria-describedby={describedBy}
          onChange={(event) => onChange(cleanCode(event.target.value).slice(0, digits))}
          onSelect={keepCaretLast}
          className="peer absolute inset-0 size-full opacity-0 cursor-text"
        />
        <div
          aria-hidden
          style={{ gridTemplateColumns: `repeat(${digits}, minmax(0, 1fr))` }}
          className="group grid gap-1.5 sm:gap-3 pointer-events-none peer-focus:[&>[data-active=true]]:outline-accent"
        >
          {BOXES.slice(0, digits).map((index) => (
            <span
              key={index}
              data-active={index === Math.min(value.length, digits - 1)}
              className={`grid place-items-center h-14 sm:h-16 rounded-md border bg-surface text-2xl font-bold outline-2 outline-transparent -outline-offset-1 ${problem ? 'border-danger' : 'border-line-control'}`}
            >
              {show(value[index] ?? '')}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}

/** The drawn caret is always in the first empty box; a click must not move the real one elsewhere. */
function keepCaretLast({ currentTarget: input }: SyntheticEvent<HTMLInputElement>): void {
  const last = input.value.length;
  if (input.selectionStart === input.selectionEnd && input.selectionStart !== last) input.setSelectionRange(last, last);
}

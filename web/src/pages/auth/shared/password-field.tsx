import { isFieldError } from '@raha/contract/field-errors.ts';
import { limits } from '@raha/contract/limits.ts';
import { isAcceptablePassword, passwordStrength } from '@raha/contract/password.ts';
import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, type FocusEvent, type ReactNode, useId, useState } from 'react';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { FieldNote } from '../../../ui/text-field.tsx';
import { isCommon } from './is-common.ts';

interface PasswordFieldProps extends Omit<ComponentProps<'input'>, 'onChange' | 'type'> {
  label: string;
  hint?: ReactNode;
  /** A message key of the rules, or the server's finished sentence. */
  problem?: string | undefined;
  /** Shows how strong the password is: for passwords that are chosen. */
  meter?: boolean;
  onText(value: string): void;
  ref?: React.Ref<HTMLInputElement>;
}

/** A password as typed: never trimmed, shown on request. */
export function PasswordField({ label, hint, problem: given, meter = false, onText, ...input }: PasswordFieldProps) {
  const id = useId();
  const [shown, setShown] = useState(false);
  const value = String(input.value ?? '');
  const [common, setCommon] = useState<string>();
  const problem = given ?? (common !== undefined && common === value ? 'password_common' : undefined);
  const leave = (event: FocusEvent<HTMLInputElement>) => {
    input.onBlur?.(event);
    // Without an answer the server judges when the form is sent.
    if (meter && isAcceptablePassword(value))
      isCommon(value).then(
        (isOnList) => isOnList && setCommon(value),
        () => undefined,
      );
  };
  // The server refuses what the rules allow when the password is one of the commonest: however it is made up, it is weak.
  const isRefused = problem === 'password_common' || (problem !== undefined && !isFieldError(problem));
  const describedBy = [problem || hint ? `${id}-note` : '', meter ? `${id}-strength` : ''].filter(Boolean).join(' ');
  return (
    <div>
      <label htmlFor={id} className="block text-sm font-semibold text-text-2 mb-1.5">
        {label}
      </label>
      <div className="relative" dir="ltr">
        <input
          {...input}
          id={id}
          type={shown ? 'text' : 'password'}
          autoCapitalize="none"
          spellCheck={false}
          dir="ltr"
          className="input pe-13"
          aria-invalid={problem ? true : undefined}
          aria-describedby={describedBy || undefined}
          onBlur={leave}
          onChange={(event) => onText(event.target.value)}
        />
        <button
          type="button"
          className="icon-btn !absolute top-0.5 end-0.5"
          aria-label={m.show_password()}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        >
          {shown ? <EyeOff className="size-5" aria-hidden /> : <Eye className="size-5" aria-hidden />}
        </button>
      </div>
      {meter && <StrengthMeter id={`${id}-strength`} password={value} isRefused={isRefused} />}
      <FieldNote id={`${id}-note`} problem={fieldSentence(problem)} hint={hint} />
    </div>
  );
}

const labels = {
  weak: m.strength_weak,
  medium: m.strength_medium,
  good: m.strength_good,
  strong: m.strength_strong,
};
const colours = { weak: 'bg-danger', medium: 'bg-spark', good: 'bg-chart', strong: 'bg-success' };
const STEPS = [25, 50, 75, 100];

const refused = { score: 0, label: 'weak' } as const;

function StrengthMeter({ id, password, isRefused }: { id: string; password: string; isRefused: boolean }) {
  const { score, label } = isRefused ? refused : passwordStrength(password);
  const name = labels[label]();
  return (
    <div className="mt-2 flex items-center gap-3">
      <meter
        className="sr-only"
        aria-label={m.strength_label()}
        min={0}
        max={100}
        low={limits.password.strengthThreshold}
        value={score}
        aria-valuetext={m.percent({ value: number(score) })}
      />
      <div aria-hidden className="flex-1 grid grid-cols-4 gap-1.5">
        {STEPS.map((step) => (
          <span
            key={step}
            className={`h-1.5 rounded-full transition-colors ${password !== '' && score >= step ? colours[label] : 'bg-line'}`}
          />
        ))}
      </div>
      <p id={id} className="text-xs font-semibold text-text-2 min-w-12 text-end">
        {password === '' ? <span className="sr-only">{m.strength_label()}</span> : name}
      </p>
    </div>
  );
}

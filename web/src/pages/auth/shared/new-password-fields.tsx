import { type ComponentProps, useRef } from 'react';
import { m } from '../../../text/generated/messages.js';
import type { FieldProblems } from '../../../ui/use-form.ts';
import { matches } from './matches.ts';
import { PasswordField } from './password-field.tsx';

type Field = 'password' | 'password_confirmation';

/** What of a form these two fields need. */
interface Form {
  readonly values: Readonly<Record<Field, string>>;
  readonly problems: FieldProblems;
  set(name: Field, value: string): void;
  field(name: Field): Pick<ComponentProps<'input'>, 'name' | 'value' | 'onBlur'>;
}

/** The schema of the repetition, and what keeps it told of the first field. */
export function useRepetition() {
  const typed = useRef('');
  const schema = useRef(matches(() => typed.current));
  return { schema: schema.current, typed };
}

/** A password that is chosen, with its strength, and once more. */
export function NewPasswordFields({ form, label, typed }: NewPasswordFieldsProps) {
  return (
    <>
      <PasswordField
        {...form.field('password')}
        label={label}
        autoComplete="new-password"
        meter
        hint={m.strength_hint()}
        problem={form.problems.password}
        onText={(value) => {
          typed.current = value;
          form.set('password', value);
          // What was wrong with the repetition may be right now.
          form.set('password_confirmation', form.values.password_confirmation);
        }}
      />
      <PasswordField
        {...form.field('password_confirmation')}
        label={m.password_again_label()}
        autoComplete="new-password"
        problem={form.problems.password_confirmation}
        onText={(value) => form.set('password_confirmation', value)}
      />
    </>
  );
}

interface NewPasswordFieldsProps {
  form: Form;
  label: string;
  typed: { current: string };
}

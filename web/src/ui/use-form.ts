import { type FocusEvent, type FormEvent, useRef, useState } from 'react';

/** The part of a zod/mini schema that a form uses. */
interface FieldSchema {
  safeParse(
    value: unknown,
  ): { success: true; data: unknown } | { success: false; error: { issues: readonly { message: string }[] } };
}

type Schemas = Readonly<Record<string, FieldSchema>>;
type Values<S extends Schemas> = { [K in keyof S]: string };
/** Message keys or finished sentences, by field. */
export type FieldProblems = Readonly<Record<string, string>>;

/**
 * A small form: one schema per field, validated on blur, then on every change; the first wrong field takes the focus; a
 * second submit while the first one runs does nothing. A field without user input shows its given value, also when that
 * changes.
 */
export function useForm<S extends Schemas>(
  schemas: S,
  given: Values<S>,
  submit: (values: Values<S>) => Promise<FieldProblems | undefined>,
) {
  const [typed, setTyped] = useState<Partial<Values<S>>>({});
  const open = withoutGiven(typed, given);
  if (open !== typed) setTyped(open);
  const values: Values<S> = { ...given, ...open };
  const [problems, setProblems] = useState<FieldProblems>({});
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const form = useRef<HTMLFormElement>(null);

  const problemOf = (name: string, value: string): string | undefined => {
    const result = schemas[name]?.safeParse(value);
    return result && !result.success ? result.error.issues[0]?.message : undefined;
  };
  const show = (name: string, problem: string | undefined) =>
    setProblems(({ [name]: _, ...others }) => (problem === undefined ? others : { ...others, [name]: problem }));
  const set = (name: keyof S & string, value: string) => {
    setTyped((before) => ({ ...before, [name]: value }));
    if (problems[name] !== undefined) show(name, problemOf(name, value));
  };
  const focusFirst = (found: FieldProblems) => {
    const first = Object.keys(schemas).find((name) => found[name] !== undefined);
    const control = first ? form.current?.elements.namedItem(first) : null;
    if (control instanceof HTMLElement) control.focus();
  };
  const run = async () => {
    if (running.current) return;
    const entries = Object.entries(values).map(([name, value]) => [name, problemOf(name, value)] as const);
    let found: FieldProblems = Object.fromEntries(
      entries.filter(([, problem]) => problem !== undefined),
    ) as FieldProblems;
    if (Object.keys(found).length === 0) {
      running.current = true;
      setBusy(true);
      try {
        found = (await submit(values)) ?? {};
      } finally {
        running.current = false;
        setBusy(false);
      }
    }
    setProblems(found);
    focusFirst(found);
  };

  return {
    values,
    problems,
    busy,
    set,
    setProblems,
    submit: run,
    form: {
      ref: form,
      noValidate: true,
      onSubmit: (event: FormEvent) => {
        event.preventDefault();
        void run();
      },
    },
    field: (name: keyof S & string) => ({
      name,
      value: values[name],
      onBlur: (event: FocusEvent<HTMLInputElement>) => {
        const problem = event.target.value === '' ? undefined : problemOf(name, event.target.value);
        // The server's message about this value stays until the value changes.
        if (problem !== undefined) show(name, problem);
      },
    }),
  };
}

/** Input equal to the given value does not count as input: the field follows the given value again. */
export function withoutGiven<T extends Readonly<Record<string, string>>>(typed: Partial<T>, given: T): Partial<T> {
  const entries = Object.entries(typed);
  const own = entries.filter(([name, value]) => value !== given[name]);
  return own.length === entries.length ? typed : (Object.fromEntries(own) as Partial<T>);
}

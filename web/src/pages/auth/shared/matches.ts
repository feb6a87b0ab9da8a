/** A field that has to repeat another one, as a schema for the form; the other one is read when it is checked. */
export function matches(other: () => string) {
  return {
    safeParse(value: unknown) {
      if (value === other() && value !== '') return { success: true as const, data: value };
      return { success: false as const, error: { issues: [{ message: problemOf(value) }] } };
    },
  };
}

function problemOf(value: unknown): string {
  return value === '' ? 'required' : 'password_confirmation';
}

/** The box that has to be ticked. */
export const accepted = {
  safeParse(value: unknown) {
    if (value !== '') return { success: true as const, data: value };
    return { success: false as const, error: { issues: [{ message: 'terms_required' }] } };
  },
};

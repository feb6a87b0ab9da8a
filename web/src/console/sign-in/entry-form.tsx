import type { ReactNode } from 'react';

/** A form of one step; the server says what is wrong with it. */
export function EntryForm({ children, onSubmit }: { children: ReactNode; onSubmit: () => Promise<void> }) {
  return (
    <form
      className="c-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit();
      }}
    >
      {children}
    </form>
  );
}

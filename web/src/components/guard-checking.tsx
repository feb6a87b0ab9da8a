import { m } from '../text/generated/messages.js';

/** Shown while a guard decides whether the user may enter. */
export function GuardChecking() {
  return (
    <main className="min-h-dvh grid place-content-center justify-items-center gap-3 p-6 text-center">
      <p role="status" className="text-text-2">
        {m.guard_checking()}
      </p>
    </main>
  );
}

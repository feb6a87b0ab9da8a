import { CircleAlert, CircleCheck } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { shownToasts, watchToasts } from './toast.ts';

/** At the bottom of the screen; above a dialog on phones. */
export function ToastRegion() {
  const shown = useSyncExternalStore(watchToasts, shownToasts);
  return (
    <div
      role="status"
      aria-live="polite"
      className="fixed bottom-20 tablet:bottom-6 max-sm:[html:has([data-scrim])_&]:bottom-auto max-sm:[html:has([data-scrim])_&]:top-1 start-4 tablet:start-6 z-50 grid gap-2 max-w-[min(24rem,calc(100vw-2rem))] pointer-events-none"
    >
      {shown.map(({ id, kind, text }) => (
        <p
          key={id}
          className="flex items-start gap-2.5 rounded-md bg-text text-bg px-4 py-3 text-sm font-medium shadow-3 [animation:rise_.2s_var(--ease-out)_both]"
        >
          {kind === 'done' ? (
            <CircleCheck className="size-5 shrink-0 mt-0.5" aria-hidden />
          ) : (
            <CircleAlert className="size-5 shrink-0 mt-0.5" aria-hidden />
          )}
          <span>{text}</span>
        </p>
      ))}
    </div>
  );
}

import { RefreshCw, TriangleAlert } from 'lucide-react';
import { errorSentence, requestIdOf } from '../api/error-sentence.ts';
import { m } from '../text/generated/messages.js';
import { Button } from '../ui/button.tsx';

/** Shows what could not be loaded, why, the reference for support, and a retry button. */
export function FailureCard({ title, error, onRetry, busy }: FailureCardProps) {
  const requestId = requestIdOf(error);
  return (
    <section role="alert" className="panel p-6 sm:p-8 grid justify-items-center text-center gap-2">
      <span className="grid place-items-center size-12 rounded-full bg-danger-soft text-danger">
        <TriangleAlert className="size-6" aria-hidden />
      </span>
      <h2 className="text-lg font-bold mt-1">{title}</h2>
      <p className="text-text-2 max-w-[34rem]">{errorSentence(error)}</p>
      {requestId && (
        <p className="text-xs text-text-3">
          {m.request_id()}{' '}
          <bdi dir="ltr" className="font-code">
            {requestId}
          </bdi>
        </p>
      )}
      <Button className="btn btn-ghost btn-sm mt-3" busy={busy} onClick={onRetry}>
        <RefreshCw className="size-4" aria-hidden />
        {m.try_again()}
      </Button>
    </section>
  );
}

interface FailureCardProps {
  title: string;
  error: unknown;
  busy: boolean;
  onRetry(): void;
}

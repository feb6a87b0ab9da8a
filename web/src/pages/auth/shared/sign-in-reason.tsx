import { useLocation } from '@tanstack/react-router';
import { Info } from 'lucide-react';
import { FormProblem } from './form-problem.tsx';

/** What a way back to signing in says there: why the user is here again. */
export interface SignInReason {
  readonly kind: 'calm' | 'problem';
  readonly sentence: string;
}

/** Kept in the history of this tab: it survives a reload, and no address can put words here. */
export function SignInReasonBox() {
  const reason = useLocation({ select: ({ state }) => state.reason });
  if (!reason) return null;
  return (
    <div className="mb-5">
      {reason.kind === 'problem' ? (
        <FormProblem>{reason.sentence}</FormProblem>
      ) : (
        <p role="status" className="flex items-start gap-3 rounded-md bg-surface-2 px-4 py-3 text-sm">
          <Info className="size-5 shrink-0 mt-0.5 text-text-3" aria-hidden />
          {reason.sentence}
        </p>
      )}
    </div>
  );
}

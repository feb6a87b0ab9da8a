import { Info } from 'lucide-react';
import { useHistoryEntry } from '../../../routes/navigation.ts';
import { FormProblem } from './form-problem.tsx';

/** Kept in the history of this tab: it survives a reload, and no address can put words here. */
export function SignInReasonBox() {
  const reason = useHistoryEntry().state.reason;
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

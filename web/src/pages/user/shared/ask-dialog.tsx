import { type ComponentProps, type ReactNode, useRef, useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { PanelSheet } from './panel-sheet.tsx';

interface AskDialogProps {
  title: string;
  description: string;
  /** What it is about: a name, a sum. */
  children?: ReactNode;
  confirmLabel: string;
  /** The safe answer; "cancel" where nothing is said. */
  keepLabel?: string;
  isDanger?: boolean;
  /** Said when it did not work and the server had no sentence of its own. */
  failed?: string;
  /** Closes the dialog itself when it is done. Throws when it did not work: the dialog says why and stays. */
  onConfirm(): Promise<void>;
  onClose(): void;
  finalFocus?: ComponentProps<typeof PanelSheet>['finalFocus'];
}

/** What cannot be taken back is asked about first; the safe answer has the focus, and a second press does nothing. */
export function AskDialog({ title, description, children, isDanger = true, ...ask }: AskDialogProps) {
  const keep = useRef<HTMLButtonElement>(null);
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const confirm = async () => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      await ask.onConfirm();
    } catch (error) {
      setProblem(errorSentence(error, ask.failed));
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return (
    <PanelSheet
      role="alertdialog"
      title={title}
      description={description}
      initialFocus={keep}
      {...(ask.finalFocus ? { finalFocus: ask.finalFocus } : {})}
      onClose={() => ask.onClose()}
    >
      {children}
      <FieldNote problem={problem} />
      <div className={`flex flex-wrap gap-3 ${children ? 'mt-5' : ''}`}>
        <Button
          className={`btn flex-1 ${isDanger ? 'btn-danger' : 'btn-primary'}`}
          busy={busy}
          onClick={() => void confirm()}
        >
          {ask.confirmLabel}
        </Button>
        <Button ref={keep} className="btn btn-ghost flex-1" onClick={() => ask.onClose()}>
          {ask.keepLabel ?? m.cancel()}
        </Button>
      </div>
    </PanelSheet>
  );
}

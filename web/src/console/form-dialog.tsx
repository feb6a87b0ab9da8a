import type { ReactNode } from 'react';
import { m } from '../text/generated/messages.js';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { Problem } from './problem.tsx';
import type { Work } from './use-work.ts';

interface Props {
  readonly title: string;
  readonly button: string;
  /** How the button looks: the main one, one that ends something for good, or a quiet one. */
  readonly look?: 'c-main' | 'c-final' | '';
  readonly work: Work;
  /** Whether there is enough to be sent. */
  readonly isReady?: boolean;
  readonly children: ReactNode;
  onSubmit(): Promise<void>;
  onClose(): void;
}

/** A dialog with fields and two buttons: one sends them, the other closes. What is wrong is said between. */
export function FormDialog(props: Props) {
  const { title, button, look = 'c-main', work, isReady = true, children, onSubmit, onClose } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="c-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void work.run(onSubmit);
        }}
      >
        {children}
        <Problem sentence={work.sentence} />
        <div className="c-buttons">
          <button type="submit" className={`c-button ${look}`} disabled={work.isBusy || !isReady}>
            {button}
          </button>
          <button type="button" className="c-button" onClick={onClose}>
            {m.console_cancel()}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Why, for the audit. */
export function ReasonField({ reason, work, onText }: { reason: string; work: Work; onText: (text: string) => void }) {
  return (
    <Field
      label={m.console_reason()}
      hint={m.console_reason_hint()}
      error={work.fields.reason}
      autoComplete="off"
      value={reason}
      onText={onText}
    />
  );
}

import { type ReactNode, useState } from 'react';
import { m } from '../../text/generated/messages.js';
import { Dialog } from '../dialog.tsx';
import { Field } from '../field.tsx';
import { Problem } from '../problem.tsx';
import { useProof } from '../proof.tsx';
import { useWork, type Work } from '../use-work.ts';

interface Props {
  readonly title: string;
  /** What it does, in numbers where there are some. */
  readonly effect: string;
  readonly button: string;
  readonly isReady?: boolean;
  /** Fields before the reason. */
  readonly children?: (work: Work) => ReactNode;
  act(reason: string, key: string): Promise<unknown>;
  onDone(): void;
  onClose(): void;
}

/**
 * An act with a reason. If it needs a fresh proof, that is asked for and the act is done with what was typed; the key of a
 * dialog makes sure that it is done once.
 */
export function ActDialog({ title, effect, button, isReady = true, children, act, onDone, onClose }: Props) {
  const [reason, setReason] = useState('');
  const [key] = useState(() => crypto.randomUUID());
  const work = useWork();
  const withProof = useProof();
  const submit = async () => {
    if (await withProof(() => act(reason, key))) onDone();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="c-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void work.run(submit);
        }}
      >
        {children?.(work)}
        <Field
          label={m.console_reason()}
          hint={m.console_reason_hint()}
          error={work.fields.reason}
          autoComplete="off"
          value={reason}
          onText={setReason}
        />
        <p className="c-effect">{effect}</p>
        <Problem sentence={work.sentence} />
        <div className="c-buttons">
          <button type="submit" className="c-button c-main" disabled={work.isBusy || !isReady}>
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

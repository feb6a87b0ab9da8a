import { type ReactNode, useState } from 'react';
import { FormDialog, ReasonField } from './form-dialog.tsx';
import { useProof } from './proof.tsx';
import { useWork, type Work } from './use-work.ts';

interface Props {
  readonly title: string;
  /** What it does, in numbers where there are some. */
  readonly effect: string;
  readonly button: string;
  /** Red, of what is final. */
  readonly look?: 'c-final';
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
export function ActDialog({ title, effect, button, look, isReady = true, children, act, onDone, onClose }: Props) {
  const [reason, setReason] = useState('');
  const [key] = useState(() => crypto.randomUUID());
  const work = useWork();
  const withProof = useProof();
  const submit = async () => {
    if (await withProof(() => act(reason, key))) onDone();
  };
  return (
    <FormDialog
      title={title}
      button={button}
      {...(look ? { look } : {})}
      work={work}
      isReady={isReady}
      onSubmit={submit}
      onClose={onClose}
    >
      {children?.(work)}
      <ReasonField reason={reason} work={work} onText={setReason} />
      <p className="c-effect">{effect}</p>
    </FormDialog>
  );
}

import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { useEffect, useId, useRef, useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { Otp } from '../../../ui/otp.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';

interface CodeFormProps {
  onCode(code: string): Promise<void>;
  hint?: string;
  /** How many digits the code has, as the server said when it sent it. */
  digits?: number;
}

/** Boxes that send themselves when they are full; a wrong code clears them and says why. */
export function CodeForm({ onCode, hint = m.code_hint(), digits = limits.verificationCode.digits }: CodeFormProps) {
  const noteId = useId();
  const input = useRef<HTMLInputElement>(null);
  const running = useRef(false);
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => input.current?.focus(), []);

  const verify = async (typed: string) => {
    if (running.current) return;
    if (typed.length < digits) {
      const isUsual = digits === limits.verificationCode.digits;
      setProblem(isUsual ? fieldSentence('code_incomplete') : m.code_incomplete_long({ digits: number(digits) }));
      input.current?.focus();
      return;
    }
    running.current = true;
    setBusy(true);
    setProblem(undefined);
    try {
      await onCode(typed);
    } catch (error) {
      const sentence = (error instanceof ApiError && error.fields.code) || errorSentence(error);
      toast(sentence, 'problem');
      setCode('');
      setProblem(sentence);
      input.current?.focus();
    } finally {
      running.current = false;
      setBusy(false);
    }
  };

  return (
    <form
      noValidate
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        void verify(code);
      }}
    >
      <div>
        <Otp
          label={m.code_label()}
          value={code}
          digits={digits}
          problem={problem !== undefined}
          describedBy={noteId}
          busy={busy}
          show={(digit) => (digit === '' ? '' : number(Number(digit)))}
          inputRef={input}
          onChange={(next) => {
            setCode(next);
            if (next !== '') setProblem(undefined);
            if (next.length === digits && next !== code) void verify(next);
          }}
        />
        <FieldNote id={noteId} problem={problem} hint={hint} />
      </div>
      {/* Off while a box is empty (specification 1, section 5). */}
      <Button type="submit" busy={busy} isIncomplete={code.length < digits} className="btn btn-primary w-full">
        {busy ? m.verifying() : m.verify_code()}
      </Button>
    </form>
  );
}

import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { verificationCode } from '@raha/contract/public/auth.ts';
import { useEffect, useId, useRef, useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { Otp } from '../../../ui/otp.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';

/** Six boxes that send themselves when they are full; a wrong code clears them and says why. */
export function CodeForm({ onCode, hint = m.code_hint() }: { onCode(code: string): Promise<void>; hint?: string }) {
  const noteId = useId();
  const input = useRef<HTMLInputElement>(null);
  const running = useRef(false);
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => input.current?.focus(), []);

  const verify = async (typed: string) => {
    if (running.current) return;
    if (!verificationCode.safeParse(typed).success) {
      setProblem(fieldSentence('code_incomplete'));
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
          problem={problem !== undefined}
          describedBy={noteId}
          busy={busy}
          show={(digit) => (digit === '' ? '' : number(Number(digit)))}
          inputRef={input}
          onChange={(next) => {
            setCode(next);
            if (next !== '') setProblem(undefined);
            if (next.length === limits.verificationCode.digits && next !== code) void verify(next);
          }}
        />
        <FieldNote id={noteId} problem={problem} hint={hint} />
      </div>
      {/* Off while a box is empty (specification 1, section 5). */}
      <Button
        type="submit"
        busy={busy}
        isIncomplete={code.length < limits.verificationCode.digits}
        className="btn btn-primary w-full"
      >
        {busy ? m.verifying() : m.verify_code()}
      </Button>
    </form>
  );
}

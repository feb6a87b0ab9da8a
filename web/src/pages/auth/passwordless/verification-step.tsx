import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { verificationCode } from '@raha/contract/public/auth.ts';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import { now } from '../../../api/clock.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { paths } from '../../../paths.ts';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { Otp } from '../../../ui/otp.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';
import { type Challenge, keepChallenge } from './challenge.ts';
import { ResendTimer } from './resend-timer.tsx';
import { StepCard } from './step-card.tsx';
import { useEnter } from './use-enter.ts';

export function VerificationStep({ challenge }: { challenge: Challenge }) {
  const navigate = useNavigate();
  const enter = useEnter();
  const noteId = useId();
  const input = useRef<HTMLInputElement>(null);
  const running = useRef(false);
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [resendAt, setResendAt] = useState(challenge.resendAt);
  useEffect(() => input.current?.focus(), []);

  const startOver = (sentence?: string) => {
    setCode('');
    setProblem(sentence);
    input.current?.focus();
  };

  const verify = async (typed: string) => {
    if (running.current) return;
    const checked = verificationCode.safeParse(typed);
    if (!checked.success) {
      setProblem(fieldSentence('code_incomplete'));
      input.current?.focus();
      return;
    }
    running.current = true;
    setBusy(true);
    setProblem(undefined);
    try {
      enter(await api.verifyCode({ body: { email: challenge.email, code: typed } }), m.welcome());
    } catch (error) {
      const sentence = (error instanceof ApiError && error.fields.code) || errorSentence(error);
      toast(sentence, 'problem');
      startOver(sentence);
    } finally {
      running.current = false;
      setBusy(false);
    }
  };

  const resend = async () => {
    const at = await sendAgain(challenge.email);
    if (at === undefined) return;
    setResendAt(at);
    startOver();
  };

  return (
    <StepCard title={m.verify_heading()} text={<SentTo email={challenge.email} />}>
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
          <FieldNote id={noteId} problem={problem} hint={m.code_hint()} />
        </div>
        <Button type="submit" busy={busy} className="btn btn-primary w-full">
          {busy ? m.verifying() : m.verify_code()}
        </Button>
      </form>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 mt-4 -mx-2">
        <ResendTimer resendAt={resendAt} onResend={resend} />
        <button
          type="button"
          className="btn btn-quiet btn-sm"
          onClick={() => void navigate({ to: paths.signIn, search: {} })}
        >
          {m.change_email()}
        </button>
      </div>
    </StepCard>
  );
}

/** Asks for another code; the answer is when the next one may be asked for. */
async function sendAgain(email: string): Promise<number | undefined> {
  try {
    const { retry_after } = await api.sendVerificationCode({ body: { email } });
    const wait = Math.max(retry_after, limits.verificationCode.resendAfterSeconds);
    const resendAt = now() + wait * 1000;
    keepChallenge({ email, resendAt });
    toast(m.code_resent());
    return resendAt;
  } catch (error) {
    const hasSentence = error instanceof ApiError && error.code !== 'unknown';
    toast(hasSentence ? errorSentence(error) : m.code_resend_failed(), 'problem');
    return undefined;
  }
}

function SentTo({ email }: { email: string }) {
  return (
    <p>
      {m.code_sent_to()}{' '}
      <bdi dir="ltr" className="font-semibold text-text [overflow-wrap:anywhere]">
        {email}
      </bdi>{' '}
      {m.code_sent_to_end()}
    </p>
  );
}

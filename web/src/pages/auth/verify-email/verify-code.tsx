import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import { now } from '../../../api/clock.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { readToken } from '../../../api/session.ts';
import { visitorApi } from '../../../api/visitor-client.ts';
import { Link } from '../../../routes/link.tsx';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';
import { CodeForm } from '../shared/code-form.tsx';
import { ResendTimer } from '../shared/resend-timer.tsx';
import { SentTo } from '../shared/sent-to.tsx';
import { StepCard } from '../shared/step-card.tsx';
import { keepMailedCode, readMailedCode } from './mailed-code.ts';
import { useVerified } from './use-verified.ts';

const WAIT_MS = limits.verificationCode.resendAfterSeconds * 1000;

export function VerifyCode({ email }: { email: string }) {
  const verified = useVerified();
  const asked = useRef(false);
  const [rounds, setRounds] = useState(0);
  const [resendAt, setResendAt] = useState(() => (readMailedCode(email)?.sentAt ?? now()) + WAIT_MS);
  const [digits, setDigits] = useState<number>(readMailedCode(email)?.digits ?? limits.verificationCode.digits);

  const send = async (greeting?: string) => {
    try {
      // A registration that waits for its code is in the temporary token.
      const headers = { authorization: `Bearer ${readToken() ?? ''}` };
      const sent = await visitorApi.resendVerification({ body: { email } }, { headers });
      const mailed = keepMailedCode(email, sent.code_length);
      setDigits(mailed.digits);
      setResendAt(mailed.sentAt + Math.max(sent.retry_after * 1000, WAIT_MS));
      if (!greeting) return;
      toast(greeting);
      setRounds((before) => before + 1);
    } catch (error) {
      const wait = error instanceof ApiError ? error.retryAfterSeconds : undefined;
      if (wait !== undefined) setResendAt(now() + wait * 1000);
      // A code sent moments ago is in the inbox all the same: no news on arrival.
      const isFresh = error instanceof ApiError && error.code === 'code_too_soon';
      if (!isFresh || greeting) toast(isKnown(error) ? errorSentence(error) : m.code_resend_failed(), 'problem');
    }
  };
  useEffect(() => {
    // Only on arriving: once the address is proved, the code that was mailed is forgotten too.
    if (asked.current) return;
    asked.current = true;
    if (email !== '' && !readMailedCode(email)) void send();
  });

  return (
    <StepCard title={m.verify_heading()} text={<SentTo email={email} digits={digits} />}>
      <CodeForm
        key={rounds}
        digits={digits}
        onCode={async (code) => verified(await api.verifyEmail({ body: { email, code } }))}
      />
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 mt-4 -mx-2">
        <ResendTimer resendAt={resendAt} onResend={() => send(m.code_resent_again())} />
        <Link to={paths.signIn} search={{}} className="btn btn-quiet btn-sm">
          {m.back_to_sign_in()}
        </Link>
      </div>
    </StepCard>
  );
}

function isKnown(error: unknown): boolean {
  return error instanceof ApiError && error.code !== 'unknown';
}

import { ApiError } from '@raha/contract/client.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { now } from '../../../api/clock.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { meQuery } from '../../../api/me.ts';
import { sessionsQuery } from '../../../api/queries.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.ts';
import { CodeForm } from '../../auth/shared/code-form.tsx';
import { ResendTimer } from '../../auth/shared/resend-timer.tsx';
import { profileApi } from './profile-api.ts';

interface PendingEmailProps {
  email: string;
  /** When another code may be asked for. */
  resendAt: number;
  onResendAt(at: number): void;
}

/** The new address and the place for its code; it waits as long as it takes, over reloads too. */
export function PendingEmail({ email, resendAt, onResendAt }: PendingEmailProps) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  /** A new code starts with empty boxes. */
  const [rounds, setRounds] = useState(0);
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
    void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  const cancel = async () => {
    setBusy(true);
    try {
      await profileApi.cancelNewEmail();
      await refresh();
    } catch (error) {
      toast(errorSentence(error), 'problem');
    } finally {
      setBusy(false);
    }
  };
  const resend = async () => {
    try {
      const { retry_after } = await profileApi.resendNewEmailCode();
      onResendAt(now() + retry_after * 1000);
      setRounds((before) => before + 1);
      toast(m.code_resent_again());
    } catch (error) {
      const wait = error instanceof ApiError ? error.retryAfterSeconds : undefined;
      if (wait !== undefined) onResendAt(now() + wait * 1000);
      toast(errorSentence(error, m.code_resend_failed()), 'problem');
    }
  };
  return (
    <section aria-labelledby="pending-email" className="panel p-4 sm:p-6 grid gap-3">
      <h2 id="pending-email" className="text-base font-bold">
        {m.email_pending_heading()}
      </h2>
      <p className="text-sm text-text-2 [overflow-wrap:anywhere]">
        {m.email_pending_text({ email: `\u2066${email}\u2069` })}
      </p>
      <CodeForm
        key={rounds}
        onCode={async (code) => {
          await profileApi.verifyNewEmail({ body: { code } });
          toast(m.email_changed());
          await refresh();
        }}
      />
      <div className="flex flex-wrap items-center gap-2">
        <ResendTimer resendAt={resendAt} onResend={resend} />
        <Button className="btn btn-quiet btn-sm" busy={busy} onClick={() => void cancel()}>
          {m.email_pending_cancel()}
        </Button>
      </div>
    </section>
  );
}

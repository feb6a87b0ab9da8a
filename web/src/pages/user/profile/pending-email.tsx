import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { meQuery } from '../../../api/me.ts';
import { sessionsQuery } from '../../../api/queries.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.ts';
import { CodeForm } from '../../auth/shared/code-form.tsx';
import { profileApi } from './profile-api.ts';

/** The new address and the place for its code; it waits as long as it takes, over reloads too. */
export function PendingEmail({ email }: { email: string }) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
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
  return (
    <section aria-labelledby="pending-email" className="panel p-4 sm:p-6 grid gap-3">
      <h2 id="pending-email" className="text-base font-bold">
        {m.email_pending_heading()}
      </h2>
      <p className="text-sm text-text-2 [overflow-wrap:anywhere]">
        {m.email_pending_text({ email: `\u2066${email}\u2069` })}
      </p>
      <CodeForm
        onCode={async (code) => {
          await profileApi.verifyNewEmail({ body: { code } });
          toast(m.email_changed());
          await refresh();
        }}
      />
      <Button className="btn btn-quiet btn-sm justify-self-start" busy={busy} onClick={() => void cancel()}>
        {m.email_pending_cancel()}
      </Button>
    </section>
  );
}
